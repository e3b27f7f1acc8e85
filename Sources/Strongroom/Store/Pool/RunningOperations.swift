/// The operations that are waiting or running, so that they can be stopped, and so that a timeout error can name the
/// holders of the connections.
final class RunningOperations: Sendable {
    typealias Request = ConnectionScheduler<ConnectionPool.Waiter>.Request

    /// Why an operation is stopped.
    enum Reason {
        case cancelled, timedOut
    }

    private enum State {
        case waiting
        case running(Connection, Connection.Sharing)
        case stopped(Reason)
    }

    private struct Entry {
        let request: Request
        let limits: OperationLimits
        var state = State.waiting
        /// When it acquired its connection.
        var start: ContinuousClock.Instant?

        /// How errors name it.
        var name: String {
            let kind =
                switch request {
                case .read: "read"
                case .write, .ungroupedWrite: "write"
                case .exclusive: "exclusive work"
                }
            return limits.label.map { "the \(kind) \"\($0)\"" } ?? "a \(kind) without a label"
        }

        /// Whether the two operations compete for the same connection.
        func isRival(of other: Entry) -> Bool {
            request == .exclusive || other.request == .exclusive || (request == .read) == (other.request == .read)
        }
    }

    /// In several parts, by ticket: each operation changes its entry some times, and the threads of the readers would
    /// wait for each other.
    private let parts = (0..<partCount).map { _ in Locked<[UInt64: Entry]>([:]) }
    private static let partCount = 16
    private let hasOneConnection: Bool

    /// - Parameter hasOneConnection: Whether reads and writes share one connection.
    init(hasOneConnection: Bool = false) {
        self.hasOneConnection = hasOneConnection
    }

    private func entries(with ticket: UInt64) -> Locked<[UInt64: Entry]> {
        parts[Int(truncatingIfNeeded: ticket) & (Self.partCount - 1)]
    }

    private func entry(of ticket: UInt64) -> Entry? { entries(with: ticket).withLock { $0[ticket] } }

    /// Records that an operation is requested.
    func request(_ ticket: UInt64, _ request: Request, _ limits: OperationLimits) {
        entries(with: ticket).withLock { $0[ticket] = Entry(request: request, limits: limits) }
    }

    /// Records that an operation begins on a connection.
    ///
    /// - Throws: `CancellationError` if it has been stopped meanwhile.
    func begin(_ ticket: UInt64, on connection: Connection, _ sharing: Connection.Sharing) throws {
        try entries(with: ticket).withLock { entries in
            if case .stopped = entries[ticket]?.state { throw CancellationError() }
            entries[ticket]?.state = .running(connection, sharing)
            if entries[ticket]?.start == nil { entries[ticket]?.start = .now }
        }
    }

    /// Records that it has its connection, before its first part begins.
    func hold(_ ticket: UInt64) {
        entries(with: ticket).withLock { $0[ticket]?.start = .now }
    }

    /// Why it has been stopped, or nil.
    func stopReason(_ ticket: UInt64) -> Reason? {
        entries(with: ticket).withLock { if case .stopped(let reason) = $0[ticket]?.state { reason } else { nil } }
    }

    /// Stops an operation, or prevents it from beginning; has no effect once it is done.
    func stop(_ ticket: UInt64, _ reason: Reason) {
        entries(with: ticket).withLock { entries in
            switch entries[ticket]?.state {
            // Inside the lock: after the operation, another one may use the connection.
            case .running(let connection, let sharing): connection.interrupt(sharing)
            case .waiting: break
            case .stopped, nil: return
            }
            entries[ticket]?.state = .stopped(reason)
        }
    }

    /// Records that one part is done and that others may follow: in between, nothing is interrupted.
    func rest(_ ticket: UInt64) {
        entries(with: ticket).withLock { entries in
            if case .running = entries[ticket]?.state { entries[ticket]?.state = .waiting }
        }
    }

    /// Records that an operation is done: it can no longer be stopped.
    func end(_ ticket: UInt64) {
        entries(with: ticket).withLock { $0[ticket] = nil }
    }
}

// MARK: Errors

extension RunningOperations {
    /// The error for an operation that was stopped while it ran; nil if it was not stopped.
    func errorOfStopped(_ ticket: UInt64, _ database: String) -> (any Error)? {
        guard let entry = entry(of: ticket), case .stopped(let reason) = entry.state else { return nil }
        guard reason == .timedOut, let timeout = entry.limits.timeout else { return CancellationError() }
        let message =
            entry.start == nil
            ? """
            \(entry.name) was not begun within \(timeout): opening its connection took longer, or the machine was \
            busy. Use a longer timeout.
            """
            : """
            \(entry.name) took longer than \(timeout) and was stopped; nothing of it was kept. Use a longer timeout, \
            or do less at a time.
            """
        return StrongroomError(.timedOut, message, database: database)
    }

    /// The error for an operation that was stopped while it waited.
    func errorOfWaiting(_ ticket: UInt64, _ reason: Reason, _ database: String) -> any Error {
        guard reason == .timedOut, let entry = entry(of: ticket), let timeout = entry.limits.timeout else {
            return CancellationError()
        }
        let now = ContinuousClock.now
        let holders = parts.flatMap { Array($0.withLock { $0.values }) }.compactMap { other -> String? in
            guard let start = other.start, hasOneConnection || other.isRival(of: entry) else { return nil }
            return "\(other.name) for \(now - start)"
        }
        let what =
            hasOneConnection
            ? "the one connection of a store in memory was not free"
            : entry.request == .read
                ? "no reader was free"
                : entry.request == .exclusive ? "not every connection was free" : "the writer was not free"
        let held =
            holders.isEmpty
            ? "a commit, or a checkpoint of the WAL" : holders.sorted().joined(separator: ", ")
        let message = """
            \(entry.name) was not begun: \(what) within \(timeout). Held by: \(held). Use a longer timeout, or do less \
            at a time in those operations.
            """
        return StrongroomError(.timedOut, message, database: database)
    }
}
