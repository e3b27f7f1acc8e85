/// Decides which stores are open for borrowers, which of them is closed for another, and who waits.
///
/// A store is open while it is in use and for an idle time afterwards. At a limit, one that is idle is closed; if all
/// are in use, requests wait in FIFO order. A request for a store that is open or being opened does not wait.
///
/// A pure state machine: each function changes the state and returns what follows, which the caller performs after it
/// has released the lock. `Opened` is an open store; `Waiter` is whatever value the caller needs back.
struct LendingQueue<Opened, Waiter> {
    /// An open store, or one that is being opened or closed; a later one of the same name has another number.
    struct Loan: Hashable, Sendable {
        let name: DatabaseName
        let number: UInt64
    }

    enum Phase {
        case opening
        case open(Opened)
        case closing
        /// Kept closed for a caller.
        case reserved
    }

    struct Entry {
        let number: UInt64
        var phase = Phase.opening
        /// The number of borrowers, including those that are opening the store.
        var users = 1
        /// When a borrower returned it before the last one, or before those that have it now.
        var returnedBefore: ContinuousClock.Instant?
        /// Its position among the idle stores, after its last borrower has returned it.
        var idle: IdleStores.Element?
        /// Whether its memory was released since then.
        var isTrimmed = false
    }

    var entries: [DatabaseName: Entry] = [:]
    private var idle = IdleStores()
    var waiting = LendingRequests<Waiter>()
    private var openings = 0
    private var closings = 0
    var reservations = 0
    var lastNumber: UInt64 = 0
    private(set) var hasEnded = false
    /// Counts since the registry was created.
    private(set) var counts = Counts()
    private var earlierReturns = EarlierReturns()

    struct Counts: Sendable, Hashable {
        var loans = 0
        var openings = 0
        var waits = 0
        var closedForOthers = 0
        var closedWhenIdle = 0
    }

    var limits = LendingLimits()
    /// Whether the process has reached a limit of its own.
    private let isExceeded: (LendingLimits) -> Bool

    init(isExceeded: @escaping (LendingLimits) -> Bool = { $0.isExceeded }) {
        self.isExceeded = isExceeded
    }

    // MARK: Requests

    /// Requests a store.
    ///
    /// - Parameters:
    ///   - isNested: Whether the opening or the user of another store waits for it: the limits do not apply, since that
    ///     one may have what this one would wait for.
    ///   - ticket: Identifies the request for ``cancel(_:)``.
    ///   - waiter: Returned later if the request has to wait.
    /// - Returns: The answer, or nil if the request waits.
    mutating func request(
        _ name: DatabaseName, isNested: Bool, ticket: UInt64, waiter: @autoclosure () -> Waiter
    ) -> (grant: Grant?, steps: Steps) {
        guard !hasEnded else { return (.ended, Steps()) }
        counts.loans += 1
        let mayOpen = isNested || waiting.isEmpty
        if let grant = grant(name, isNested: isNested, mayOpen: mayOpen) {
            var steps = Steps()
            grantOthers(name, &steps)
            closeAhead(&steps)
            return (grant, steps)
        }
        counts.waits += 1
        let request = LendingRequests.Request(name: name, ticket: ticket, isNested: isNested, waiter: waiter())
        switch entries[name]?.phase {
        case .closing, .reserved:
            waiting.appendBehindClose(request)
            return (nil, Steps())
        default:
            waiting.append(request)
            return (nil, advance())
        }
    }

    /// Grants the waiting requests for a store that is open or being opened.
    private mutating func grantOthers(_ name: DatabaseName, _ steps: inout Steps) {
        while let request = waiting.removeFirst(named: name) {
            guard let grant = grant(name, isNested: false, mayOpen: false) else { return waiting.append(request) }
            steps.granted.append((request.waiter, grant))
        }
    }

    private mutating func grant(_ name: DatabaseName, isNested: Bool, mayOpen: Bool) -> Grant? {
        if let entry = entries[name] {
            let loan = Loan(name: name, number: entry.number)
            switch entry.phase {
            case .closing, .reserved: return nil
            case .opening:
                entries[name]?.users += 1
                return .open(loan)
            case .open(let store):
                entries[name]?.users += 1
                endIdleTime(of: name)
                return .use(loan, store)
            }
        }
        guard mayOpen, isNested || hasRoom else { return nil }
        lastNumber += 1
        entries[name] = Entry(number: lastNumber, returnedBefore: earlierReturns.remove(name))
        openings += 1
        counts.openings += 1
        return .open(Loan(name: name, number: lastNumber))
    }

    /// How many stores are open, or are being opened or closed.
    private var openCount: Int { entries.count - reservations }

    private var hasRoom: Bool {
        guard openings < limits.openings, openCount < limits.openStores else { return false }
        // Without a store of its own to close, waiting would not help.
        return openCount == 0 || !isExceeded(limits)
    }

    /// Withdraws a waiting request.
    ///
    /// - Returns: The waiter, or nil if the request is already granted or unknown.
    mutating func cancel(_ ticket: UInt64) -> (waiter: Waiter?, steps: Steps) {
        guard let request = waiting.remove(ticket) else { return (nil, Steps()) }
        return (request.waiter, advance())
    }

    /// Grants what can be granted, and closes idle stores for the requests that still wait.
    private mutating func advance() -> Steps {
        var steps = Steps()
        while let first = waiting.first {
            guard let grant = grant(first.name, isNested: false, mayOpen: true) else {
                closeForOthers(&steps)
                break
            }
            waiting.removeFirst()
            steps.granted.append((first.waiter, grant))
            grantOthers(first.name, &steps)
        }
        closeAhead(&steps)
        return steps
    }

    /// Closes as many idle stores as are waited for.
    private mutating func closeForOthers(_ steps: inout Steps) {
        // What is being opened needs no store to be closed.
        guard openings < limits.openings else { return }
        let isExceeded = isExceeded(limits)
        let wanted = waiting.nameCount
        while closings < wanted, isExceeded || openCount - closings + wanted > limits.openStores,
            let first = idle.elements.first
        {
            closeForAnother(first.name, &steps)
        }
    }

    /// While stores are being opened near the limit, closes idle ones ahead of the next requests, which would have to
    /// wait for that.
    private mutating func closeAhead(_ steps: inout Steps) {
        guard openings > 0 else { return }
        let spare = min(limits.openings, limits.openStores / 8)
        while openCount - closings > limits.openStores - spare, let first = idle.elements.first {
            closeForAnother(first.name, &steps)
        }
    }

    private mutating func closeForAnother(_ name: DatabaseName, _ steps: inout Steps) {
        counts.closedForOthers += 1
        close(name, &steps, makesRoom: true)
    }

    private mutating func close(_ name: DatabaseName, _ steps: inout Steps, makesRoom: Bool = false) {
        guard let entry = entries[name], case .open(let store) = entry.phase else { return }
        if let time = entry.idle?.since { earlierReturns.add(name, time, most: limits.openStores) }
        endIdleTime(of: name)
        entries[name]?.phase = .closing
        closings += 1
        let loan = Loan(name: name, number: entry.number)
        steps.closing.append(Closing(loan: loan, store: store, makesRoom: makesRoom))
    }

    /// Removes a store from the idle ones, if it is one of them.
    mutating func endIdleTime(of name: DatabaseName) {
        guard let element = entries[name]?.idle else { return }
        idle.remove(element)
        entries[name]?.idle = nil
        entries[name]?.returnedBefore = element.since
        entries[name]?.isTrimmed = false
    }

    // MARK: Outcomes

    /// What becomes of a store that a caller has opened.
    enum Outcome {
        /// The registry keeps the caller's use of it, in place of that of a store that was closed meanwhile.
        case kept(replaced: Opened?)
        /// The registry has a use of it.
        case known
        /// The loan has ended, since its store was closed; the caller requests the store again.
        case stale
    }

    /// Reports that a caller has opened a store.
    mutating func opened(
        _ loan: Loan, _ store: Opened, isSame: (Opened, Opened) -> Bool
    ) -> (outcome: Outcome, steps: Steps) {
        guard let entry = entries[loan.name], entry.number == loan.number else { return (.stale, Steps()) }
        switch entry.phase {
        case .closing, .reserved: return (.stale, Steps())
        case .opening:
            openings -= 1
            entries[loan.name]?.phase = .open(store)
            return (.kept(replaced: nil), advance())
        case .open(let earlier):
            guard !isSame(earlier, store) else { return (.known, Steps()) }
            entries[loan.name]?.phase = .open(store)
            return (.kept(replaced: earlier), Steps())
        }
    }

    /// Reports that a caller has not opened a store.
    mutating func failed(_ loan: Loan) -> Steps {
        guard entries[loan.name]?.number == loan.number else { return Steps() }
        return removeUser(loan, at: .now, closes: false)
    }

    /// Reports that a borrower has returned a store.
    ///
    /// - Parameter closes: Whether to close it if it has no other user.
    mutating func returned(_ loan: Loan, at time: ContinuousClock.Instant, closes: Bool) -> Steps {
        guard entries[loan.name]?.number == loan.number else { return Steps() }
        return removeUser(loan, at: time, closes: closes)
    }

    private mutating func removeUser(_ loan: Loan, at time: ContinuousClock.Instant, closes: Bool) -> Steps {
        entries[loan.name]?.users -= 1
        guard let entry = entries[loan.name], entry.users == 0 else {
            // A store that is never idle is not one that was used once.
            if case .open = entries[loan.name]?.phase { entries[loan.name]?.returnedBefore = time }
            return Steps()
        }
        var steps = Steps()
        switch entry.phase {
        case .closing, .reserved: break
        case .opening:
            openings -= 1
            entries[loan.name] = nil
        case .open:
            let element = IdleStores.Element(name: loan.name, since: time, returnedBefore: entry.returnedBefore)
            idle.insert(element)
            entries[loan.name]?.idle = element
            if closes || hasEnded || openCount - closings > limits.openStores { close(loan.name, &steps) }
        }
        steps += advance()
        return steps
    }

    /// Reports that a store was closed by another caller, so that its borrower requests it again.
    mutating func lost(_ loan: Loan) -> Steps {
        guard let entry = entries[loan.name], entry.number == loan.number, case .open = entry.phase else {
            return Steps()
        }
        entries[loan.name] = nil
        // It is counted again.
        counts.loans -= 1
        return advance()
    }

    /// Reports that a store was closed, or need not be kept closed any longer.
    mutating func closed(_ loan: Loan) -> Steps {
        guard let entry = entries[loan.name], entry.number == loan.number else { return Steps() }
        entries[loan.name] = nil
        if case .reserved = entry.phase { reservations -= 1 } else { closings -= 1 }
        guard !hasEnded else { return refuseWaiting() }
        var steps = Steps()
        for request in waiting.removeBehindClose(of: loan.name) {
            // A nested request must not wait for a limit: what would end that wait may wait for it.
            if request.isNested, let grant = grant(loan.name, isNested: true, mayOpen: true) {
                steps.granted.append((request.waiter, grant))
            } else {
                waiting.append(request)
            }
        }
        if entries[loan.name] != nil { grantOthers(loan.name, &steps) }
        steps += advance()
        return steps
    }

    // MARK: Idle stores

    /// What to do with the idle stores.
    ///
    /// - Parameters:
    ///   - time: The present time.
    ///   - trimTime: How long a store is idle before its memory is released.
    /// - Returns: The stores whose memory to release, what follows, and whether no store is idle and no request waits.
    mutating func sweep(
        at time: ContinuousClock.Instant, trimTime: Duration
    ) -> (trimmed: [Opened], steps: Steps, isDone: Bool) {
        var (trimmed, steps) = ([Opened](), Steps())
        for element in idle.elements {
            let (name, time) = (element.name, time - element.since)
            if time >= limits.idleTime {
                counts.closedWhenIdle += 1
                close(name, &steps)
            } else if time >= trimTime, entries[name]?.isTrimmed == false,
                case .open(let store) = entries[name]?.phase
            {
                entries[name]?.isTrimmed = true
                trimmed.append(store)
            }
        }
        // The process may be below its limits again.
        steps += advance()
        return (trimmed, steps, waiting.isEmpty && idle.elements.isEmpty)
    }

    /// Changes the limits.
    mutating func setLimits(_ limits: LendingLimits) -> Steps {
        self.limits = limits
        var steps = Steps()
        while openCount - closings > limits.openStores, let first = idle.elements.first {
            counts.closedForOthers += 1
            close(first.name, &steps)
        }
        steps += advance()
        return steps
    }

    /// Ends lending: waiting requests fail, and idle stores are closed.
    mutating func end() -> Steps {
        hasEnded = true
        var steps = refuseWaiting()
        for element in idle.elements { close(element.name, &steps) }
        return steps
    }

    private mutating func refuseWaiting() -> Steps {
        Steps(granted: waiting.removeAll().map { ($0.waiter, .ended) })
    }

    // MARK: Statistics

    /// Whether a store is in use, or is being opened or closed.
    var isInUse: Bool { entries.count > idle.elements.count }

    /// How many stores are in each phase.
    var numbers: (lent: Int, idle: Int, opening: Int, closing: Int, waiting: Int) {
        let idleCount = idle.elements.count
        let open = openCount - openings - closings
        return (open - idleCount, idleCount, openings, closings + reservations, waiting.count)
    }
}
