import Dispatch
import Synchronization

/// Runs work on a store's connections, one holder a connection.
///
/// The decisions are ``AccessQueue``'s; here are the threads and the connections.
final class Access: Sendable {
    typealias Queue = AccessQueue<Waiter>

    /// One who waits for a seat; called with the seat, or with the reason why there is none.
    struct Waiter {
        let resume: @Sendable (Result<Queue.Seat, any Error>) -> Void
    }

    private let queue: Locked<Queue>
    private let tickets = Atomic<UInt64>(0)
    private let running = RunningWork()
    private let writer: Seat
    private let readers: [Seat]
    private let whenDrained = DispatchSemaphore(value: 0)
    /// Open once the store is closed; whoever comes through opens it for the next one.
    private let turnstile = DispatchSemaphore(value: 0)
    private let whenClosed: Locked<(@Sendable () -> Void)?>
    private let database: String

    /// A connection with the thread that tasks use it on.
    private final class Seat: @unchecked Sendable {  // guarded by AccessQueue: one holder at a time
        let worker: SeatWorker
        let role: Connection.Role
        var open: @Sendable (Connection.Role) throws -> Connection
        var connection: Connection?

        init(_ name: String, _ role: Connection.Role, open: @escaping @Sendable (Connection.Role) throws -> Connection)
        {
            worker = SeatWorker(name: name)
            self.role = role
            self.open = open
        }

        func connected() throws -> Connection {
            if let connection { return connection }
            let opened = try open(role)
            connection = opened
            return opened
        }
    }

    /// Makes the seats; readers are opened when they are first used.
    ///
    /// - Parameter whenClosed: Called once, when no connection is left: after closing, or when the last reference went without; let
    ///   go of then.
    init(
        database: String,
        readers count: Int,
        writer connection: Connection,
        open: @escaping @Sendable (Connection.Role) throws -> Connection,
        whenClosed: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.whenClosed = Locked(whenClosed)
        queue = Locked(Queue(readers: count))
        writer = Seat("strongroom.w", .writer, open: open)
        writer.connection = connection
        readers = (0..<count).map { Seat("strongroom.r\($0)", .reader, open: open) }
    }

    deinit {
        if !isClosing { dismantle() }
    }

    /// Runs work on a connection, on the running thread, which waits for its turn.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store, `closed`; what the work throws.
    func performBlocking<T>(_ request: Queue.Request, _ work: (Connection) throws -> T) throws -> T {
        guard !CurrentAccess.isInside(ObjectIdentifier(self)) else { throw nested }
        let seat = try waitForSeat(request)
        defer {
            if hasWorkLeft(seat) {
                tidyUpLater(seat)
            } else {
                release(seat)
            }
        }
        return try run(work, in: seat)
    }

    private func waitForSeat(_ request: Queue.Request) throws -> Queue.Seat {
        let gate = DispatchSemaphore(value: 0)
        let outcome = Locked<Result<Queue.Seat, any Error>?>(nil)
        let waiter = Waiter { result in
            outcome.withLock { $0 = result }
            gate.signal()
        }
        switch queue.withLock({ $0.ask(request, ticket: nextTicket(), waiter: waiter) }) {
        case .seated(let seat): return seat
        case .closed: throw closed
        case .waiting:
            gate.wait()
            guard let result = outcome.withLock({ $0 }) else { throw closed }
            return try result.get()
        }
    }

    /// Runs work on a connection, on the seat's own thread; the task waits without blocking a thread.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before its turn, or while a statement of the work runs or more are to come;
    ///   ``StrongroomError`` with `closed`; what the work throws.
    func perform<T: Sendable>(
        _ request: Queue.Request,
        _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        let ticket = nextTicket()
        running.ask(ticket)
        defer { running.end(ticket) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter { [self] result in
                    switch result {
                    case .success(let seat): start(work, ticket, in: seat, continuation)
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
                switch queue.withLock({ $0.ask(request, ticket: ticket, waiter: waiter) }) {
                case .seated(let seat): waiter.resume(.success(seat))
                case .closed: waiter.resume(.failure(closed))
                case .waiting:
                    // The cancellation may have come before the request.
                    if Task.isCancelled { cancel(ticket) }
                }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func start<T: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> T,
        _ ticket: UInt64,
        in seat: Queue.Seat,
        _ continuation: CheckedContinuation<T, any Error>
    ) {
        self[seat].worker.post { [self] in
            let result = Result { try run(work, ticket, in: seat) }
            guard hasWorkLeft(seat) else {
                release(seat)
                continuation.resume(with: result)
                return
            }
            continuation.resume(with: result)
            tidyUpLater(seat)
        }
    }

    /// Whether the connection has something to do that nobody waits for.
    private func hasWorkLeft(_ seat: Queue.Seat) -> Bool {
        seat == .writer && self[seat].connection?.isCheckpointDue == true
    }

    /// Does it on the seat's own thread and gives the seat back; not when nobody refers to the store any more, since closing does it,
    /// too.
    private func tidyUpLater(_ seat: Queue.Seat) {
        self[seat].worker.post { [weak self] in
            guard let self else { return }
            self[seat].connection?.checkpoint()
            release(seat)
        }
    }

    private func cancel(_ ticket: UInt64) {
        let waiter = queue.withLock { $0.cancel(ticket) }
        if let waiter { waiter.resume(.failure(CancellationError())) } else { running.cancel(ticket) }
    }

    /// Runs work that its task's cancellation stops.
    private func run<T>(_ work: (Connection) throws -> T, _ ticket: UInt64, in seat: Queue.Seat) throws -> T {
        do {
            let result = try run(
                { connection in
                    try running.begin(ticket, on: connection)
                    return try work(connection)
                }, in: seat)
            running.end(ticket)
            return result
        } catch let error as StrongroomError where error.code == .interrupted {
            throw running.end(ticket) ? CancellationError() : error
        } catch {
            running.end(ticket)
            throw error
        }
    }

    private func run<T>(_ work: (Connection) throws -> T, in seat: Queue.Seat) throws -> T {
        let seat = self[seat]
        let connection = try seat.connected()
        defer {
            // A transaction that could not be ended must not reach the next holder.
            if connection.isInTransaction { seat.connection = nil }
        }
        connection.beginWork()
        return try CurrentAccess.inside(ObjectIdentifier(self)) { try work(connection) }
    }

    private func release(_ seat: Queue.Seat) {
        switch queue.withLock({ $0.release(seat) }) {
        case .seat(let waiter, let seat): waiter.resume(.success(seat))
        case .idle: break
        case .close: whenDrained.signal()
        }
    }

    /// Whether somebody is closing it or has closed it.
    var isClosing: Bool { queue.withLock { $0.isClosing } }

    /// Admits nobody from now on, waits for what runs and what waits already, and closes the connections.
    ///
    /// Whoever is not the first to close returns when the first one is done.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store; to the first one, what the last work
    ///   throws, and the connections are closed all the same.
    func close(last: (Connection) throws -> Void) throws {
        guard !CurrentAccess.isInside(ObjectIdentifier(self)) else { throw nested }
        let (isFirst, isIdle) = queue.withLock { queue in
            let isFirst = !queue.isClosing
            return (isFirst, queue.close())
        }
        guard isFirst else {
            turnstile.wait()
            turnstile.signal()
            return
        }
        if !isIdle { whenDrained.wait() }
        defer {
            dismantle()
            turnstile.signal()
        }
        if let connection = writer.connection {
            connection.beginWork()
            try last(connection)
        }
    }

    /// Closes the connections, the writer's last, so that the engine brings the log into the file, and ends the threads.
    private func dismantle() {
        let error = closed
        for seat in readers + [writer] {
            // The thread that opened it may not have let go of it yet.
            seat.connection?.close()
            seat.connection = nil
            // What opens a connection knows the key, and a closed store may be held for long.
            seat.open = { _ in throw error }
            seat.worker.stop()
        }
        whenClosed.withLock { $0.take() }?()
    }

    private subscript(_ seat: Queue.Seat) -> Seat {
        switch seat {
        case .writer: writer
        case .reader(let place): readers[place]
        }
    }

    private func nextTicket() -> UInt64 {
        tickets.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private var closed: StrongroomError {
        StrongroomError(.closed, "The store is closed; open it again.", database: database)
    }

    private var nested: StrongroomError {
        StrongroomError(
            .nestedAccess,
            "A blocking read, write or close inside a transaction of the same store would wait for itself. Use the transaction.",
            database: database
        )
    }
}
