/// Who may use which connection, and which writes share a transaction: one writer, a limited number of readers, first come, first
/// served. In a store in memory there is one connection, and those who read and those who write stand in one line for it.
///
/// Nothing but decisions: each function changes the state and returns what is to be done, and the caller does it after it has let
/// go of the lock. `Waiter` is whatever the caller wants back.
struct AccessQueue<Waiter> {
    /// What a caller wants to do.
    enum Request {
        case read
        /// To write in a transaction that others may share.
        case write
        /// To write in a transaction that nobody shares.
        case writeAlone
    }

    /// A connection's place.
    enum Seat: Hashable {
        case writer
        case reader(Int)
    }

    /// The answer to a request.
    enum Answer {
        /// The caller has the seat and must release it.
        case seated(Seat)
        /// The caller is to wait until ``Release/seat(_:_:)`` names it.
        case waiting
        /// The store is closed or closing.
        case closed
    }

    /// What follows from a release.
    enum Release {
        /// The next one gets the seat.
        case seat(Waiter, Seat)
        /// Nobody waits for the seat.
        case idle
        /// It was the last seat of a store that is closing: close it.
        case close
    }

    /// What a write that is done does with its transaction.
    enum GroupStep {
        /// The next one goes on in it; the seat is theirs.
        case handOn(Waiter)
        /// Nobody goes on: commit it, then release the seat.
        case commit
    }

    private var freeReaders: [Int]
    private var isWriterFree = true
    private var waitingReaders = Line<(ticket: UInt64, waiter: Waiter)>()
    private var waitingWriters = Line<(ticket: UInt64, isShared: Bool, waiter: Waiter)>()
    private var seatedCount = 0
    private let largestGroup: Int
    /// How many writes have had the seat in the running transaction.
    private var groupSize = 0
    /// Whether the one who has the writer's seat shares their transaction.
    private var isWriterShared = false
    /// Whether those who read take the writer's seat, since there is no other.
    private let hasOneSeat: Bool
    private(set) var isClosing = false

    /// - Parameter readers: The readers' seats; with none, those who read take turns with those who write.
    init(readers: Int, largestGroup: Int) {
        hasOneSeat = readers == 0
        // The lowest free place is taken first, so that no more connections are opened than are used at one time.
        freeReaders = (0..<readers).reversed()
        self.largestGroup = largestGroup
    }

    /// Asks for a seat.
    ///
    /// - Parameters:
    ///   - request: What it is for.
    ///   - ticket: Names the request, for ``cancel(_:)``.
    ///   - isLast: Whether it is admitted although the store is being closed, as long as that waits for others.
    ///   - waiter: Comes back when the request has to wait.
    mutating func ask(
        _ request: Request, ticket: UInt64, isLast: Bool = false, waiter: @autoclosure () -> Waiter
    ) -> Answer {
        guard !isClosing || isLast && seatedCount > 0 else { return .closed }
        switch request {
        case .write, .writeAlone:
            return askWriter(isShared: request == .write, ticket, waiter)
        case .read where hasOneSeat:
            return askWriter(isShared: false, ticket, waiter)
        case .read:
            guard let place = freeReaders.popLast() else {
                waitingReaders.append((ticket, waiter()))
                return .waiting
            }
            seatedCount += 1
            return .seated(.reader(place))
        }
    }

    private mutating func askWriter(isShared: Bool, _ ticket: UInt64, _ waiter: () -> Waiter) -> Answer {
        guard isWriterFree else {
            waitingWriters.append((ticket, isShared, waiter()))
            return .waiting
        }
        isWriterFree = false
        beginGroup(isShared)
        seatedCount += 1
        return .seated(.writer)
    }

    /// Ends a write's turn, and decides whether its transaction goes on with the next one who waits.
    ///
    /// - Parameter mayGrow: False when the transaction has to be ended in any case.
    mutating func endTurn(mayGrow: Bool) -> GroupStep {
        guard mayGrow, isWriterShared, groupSize < largestGroup, waitingWriters.first?.isShared == true,
            let next = waitingWriters.popFirst()
        else { return .commit }
        groupSize += 1
        return .handOn(next.waiter)
    }

    private mutating func beginGroup(_ isShared: Bool) {
        groupSize = 1
        isWriterShared = isShared
    }

    /// Gives a seat back; those who wait get it before anybody who comes later, also while the store is closing.
    mutating func release(_ seat: Seat) -> Release {
        switch seat {
        case .writer:
            if let next = waitingWriters.popFirst() {
                beginGroup(next.isShared)
                return .seat(next.waiter, seat)
            }
            isWriterFree = true
        case .reader(let place):
            if let next = waitingReaders.popFirst() { return .seat(next.waiter, seat) }
            // Sorted downwards; the lowest is taken next.
            freeReaders.insert(place, at: freeReaders.firstIndex { $0 < place } ?? freeReaders.count)
        }
        seatedCount -= 1
        return isClosing && seatedCount == 0 ? .close : .idle
    }

    /// Takes the readers that nobody uses; each is to be released again.
    mutating func takeFreeReaders() -> [Int] {
        guard !isClosing else { return [] }
        defer { freeReaders.removeAll() }
        seatedCount += freeReaders.count
        return freeReaders
    }

    /// Takes a request back that still waits.
    ///
    /// - Returns: The waiter, or nil when it is seated or gone already.
    mutating func cancel(_ ticket: UInt64) -> Waiter? {
        waitingReaders.remove { $0.ticket == ticket }?.waiter ?? waitingWriters.remove { $0.ticket == ticket }?.waiter
    }

    /// Admits nobody from now on.
    ///
    /// - Returns: True when nothing runs or waits, so that the caller closes at once; otherwise the last release says so.
    mutating func close() -> Bool {
        guard !isClosing else { return false }
        isClosing = true
        return seatedCount == 0
    }
}
