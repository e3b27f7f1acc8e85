extension LendingQueue {
    /// The answer to a request to keep a store closed.
    enum Reservation {
        /// Nobody opens the store before ``LendingQueue/closed(_:)`` is called. The caller closes it if it is open.
        case reserved(Loan, Opened?)
        /// It is being closed: ask again later.
        case closing
        /// It is in use or kept closed for another caller, or nothing is lent any more.
        case refused
    }

    /// Requests that a store be closed, and that requests for it wait.
    mutating func reserve(_ name: DatabaseName) -> Reservation {
        guard !hasEnded else { return .refused }
        var opened: Opened?
        if let entry = entries[name] {
            switch entry.phase {
            case .closing: return .closing
            case .opening, .reserved: return .refused
            case .open(let store):
                guard entry.idle != nil else { return .refused }
                endIdleTime(of: name)
                opened = store
            }
        }
        lastNumber += 1
        entries[name] = Entry(number: lastNumber, phase: .reserved, users: 0)
        reservations += 1
        while let request = waiting.removeFirst(named: name) { waiting.appendBehindClose(request) }
        return .reserved(Loan(name: name, number: lastNumber), opened)
    }
}
