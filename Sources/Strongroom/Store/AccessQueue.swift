/// Who may use which connection: one writer, a limited number of readers, first come, first served.
///
/// Nothing but decisions: each function changes the state and returns what is to be done, and the caller does it after it has let
/// go of the lock. `Waiter` is whatever the caller wants back.
struct AccessQueue<Waiter> {
    /// What a caller wants to do.
    enum Request {
        case read, write
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

    private var freeReaders: [Int]
    private var isWriterFree = true
    private var waitingReaders: [(ticket: UInt64, waiter: Waiter)] = []
    private var waitingWriters: [(ticket: UInt64, waiter: Waiter)] = []
    private var seatedCount = 0
    private(set) var isClosing = false

    init(readers: Int) {
        // The lowest free place is taken first, so that no more connections are opened than are used at one time.
        freeReaders = (0..<readers).reversed()
    }

    /// Asks for a seat.
    ///
    /// - Parameters:
    ///   - request: What it is for.
    ///   - ticket: Names the request, for ``cancel(_:)``.
    ///   - waiter: Comes back when the request has to wait.
    mutating func ask(_ request: Request, ticket: UInt64, waiter: @autoclosure () -> Waiter) -> Answer {
        guard !isClosing else { return .closed }
        switch request {
        case .write:
            guard isWriterFree else {
                waitingWriters.append((ticket, waiter()))
                return .waiting
            }
            isWriterFree = false
            seatedCount += 1
            return .seated(.writer)
        case .read:
            guard let place = freeReaders.popLast() else {
                waitingReaders.append((ticket, waiter()))
                return .waiting
            }
            seatedCount += 1
            return .seated(.reader(place))
        }
    }

    /// Gives a seat back; those who wait get it before anybody who comes later, also while the store is closing.
    mutating func release(_ seat: Seat) -> Release {
        switch seat {
        case .writer:
            if !waitingWriters.isEmpty { return .seat(waitingWriters.removeFirst().waiter, seat) }
            isWriterFree = true
        case .reader(let place):
            if !waitingReaders.isEmpty { return .seat(waitingReaders.removeFirst().waiter, seat) }
            freeReaders.append(place)
            freeReaders.sort(by: >)
        }
        seatedCount -= 1
        return isClosing && seatedCount == 0 ? .close : .idle
    }

    /// Takes a request back that still waits.
    ///
    /// - Returns: The waiter, or nil when it is seated or gone already.
    mutating func cancel(_ ticket: UInt64) -> Waiter? {
        if let place = waitingReaders.firstIndex(where: { $0.ticket == ticket }) {
            return waitingReaders.remove(at: place).waiter
        }
        if let place = waitingWriters.firstIndex(where: { $0.ticket == ticket }) {
            return waitingWriters.remove(at: place).waiter
        }
        return nil
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
