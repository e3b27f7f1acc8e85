/// A store of a registry from its opening on, or one that is kept closed; a later one of the same name has another
/// number.
struct StoreLoan: Hashable, Sendable {
    let name: DatabaseName
    let number: UInt64
}

enum StorePurpose: Sendable {
    /// It stays open until the program closes it.
    case keep
    /// It is returned.
    case borrow
    /// It is kept closed while something is done with its file.
    case reserve
}

struct StoreRequest: Sendable {
    let name: DatabaseName
    let purpose: StorePurpose
    /// Identifies the request; a later one has a higher ticket.
    var ticket: UInt64 = 0
    /// Whether an opening or the user of another store waits for it, which may have what it would wait for.
    var isNested = false
    /// Whether it waits for the end of work for which the store is kept closed; if not, it is refused.
    var waitsForWork = true

    /// Whether no limit holds for it.
    var isUnlimited: Bool { isNested || purpose != .borrow }
}

enum StoreAnswer<Opened> {
    /// The caller has the open store.
    case use(StoreLoan, Opened)
    /// The caller opens the store, and waits for that with ``StoreRegistry/join(_:_:)``.
    case open(StoreLoan)
    /// Nobody opens the store until ``StoreRegistry/closed(_:)``.
    case reserved(StoreLoan)
    /// The store that was to be kept closed is in use, or kept closed for another caller; or the request does not wait
    /// for that.
    case refused
    /// The opening has failed, or was cancelled.
    case failed(any Error)
    /// The registry has been shut down.
    case ended
}

extension StoreAnswer: Sendable where Opened: Sendable {}

extension StoreRegistry {
    typealias Answer = StoreAnswer<Opened>

    /// What follows from an event.
    struct Steps {
        /// The answers to requests that have waited.
        var answers: [(ticket: UInt64, answer: Answer)] = []
        /// Stores to close; whether one makes room for another, and so is likely to be opened again soon.
        var closing: [(store: Opened, makesRoom: Bool)] = []
        /// Openings to cancel.
        var abandoned: [StoreLoan] = []
    }

    struct Entry {
        enum Phase {
            case opening
            /// Everyone who has waited for the opening was cancelled, the request with the ticket last.
            case abandoned(ticket: UInt64)
            case open(Opened)
            case closing
            /// Kept closed for a caller.
            case reserved
        }

        let number: UInt64
        var phase: Phase
        /// How many callers keep it, including those that wait for its opening.
        var keepers = 0
        /// How many borrowers it has, including those that wait for its opening.
        var users = 0
        /// The requests that wait for its opening, or for the end of another phase.
        var waiting: [StoreRequest] = []
        /// Whether it was closed before its opening was reported.
        var isLost = false
        /// When a borrower returned it before the last one, or before those that have it now.
        var returnedBefore: ContinuousClock.Instant?
        var idle: IdleStores.Element?
        /// Whether its memory was released since it became idle.
        var isTrimmed = false

        var isOpening: Bool { if case .opening = phase { true } else { false } }
        var isAbandoned: Bool { if case .abandoned = phase { true } else { false } }
        var isOpen: Bool { if case .open = phase { true } else { false } }
        var isClosing: Bool { if case .closing = phase { true } else { false } }
        var isReserved: Bool { if case .reserved = phase { true } else { false } }
        var isUnused: Bool { keepers + users == 0 }
        /// Whether the limit of open stores holds for it.
        var isLimited: Bool { keepers == 0 && !isReserved }

        mutating func add(_ number: Int, _ purpose: StorePurpose) {
            switch purpose {
            case .keep: keepers += number
            case .borrow: users += number
            case .reserve: break
            }
        }

        /// The first invariant that does not hold.
        var defect: String? {
            guard keepers >= 0, users >= 0 else { return "returned more often than lent" }
            guard (idle != nil) == (isOpen && isUnused) else { return "idle while it is used, or unused but not idle" }
            switch phase {
            // The one who opens it may not wait yet.
            case .opening: return isUnused || waiting.count > keepers + users ? "opened for nobody" : nil
            case .open: return waiting.isEmpty ? nil : "waited for while it is open"
            case .abandoned, .reserved: return isUnused ? nil : "used while it is closed"
            case .closing: return nil
            }
        }
    }
}

extension StoreRegistry {
    /// The requests that wait for a limit, in the order of their tickets.
    struct WaitingRequests {
        private var queue = FIFOQueue<StoreRequest>()
        /// How many of them each store has.
        private var counts: [DatabaseName: Int] = [:]

        var first: StoreRequest? { queue.first }
        var isEmpty: Bool { queue.isEmpty }
        var count: Int { counts.values.reduce(0, +) }
        var names: some Collection<DatabaseName> { counts.keys }

        /// Whether no other one has waited longer than a request.
        func isNext(_ request: StoreRequest) -> Bool { first.map { request.ticket < $0.ticket } ?? true }

        mutating func insert(_ request: StoreRequest) {
            queue.insert(request) { $0.ticket < $1.ticket }
            counts[request.name, default: 0] += 1
        }

        mutating func removeFirst() {
            if let first = queue.popFirst() { forget(first) }
        }

        mutating func removeFirst(named name: DatabaseName) -> StoreRequest? {
            guard counts[name] != nil else { return nil }
            return remove { $0.name == name }
        }

        /// Removes a request; nil if there is none with the ticket.
        mutating func remove(_ ticket: UInt64) -> StoreRequest? { remove { $0.ticket == ticket } }

        private mutating func remove(where isMeant: (StoreRequest) -> Bool) -> StoreRequest? {
            guard let request = queue.remove(where: isMeant) else { return nil }
            forget(request)
            return request
        }

        mutating func removeAll() -> [StoreRequest] {
            var all: [StoreRequest] = []
            while let first = queue.popFirst() { all.append(first) }
            counts = [:]
            return all
        }

        private mutating func forget(_ request: StoreRequest) {
            guard let count = counts[request.name] else { return }
            counts[request.name] = count > 1 ? count - 1 : nil
        }
    }
}
