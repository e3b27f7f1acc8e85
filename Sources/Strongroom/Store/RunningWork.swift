/// The work of tasks that has been asked for and is not done, so that a cancelled task's can be stopped.
final class RunningWork: Sendable {
    private enum State {
        case waiting
        case running(Connection)
        case cancelled
    }

    private let states = Locked<[UInt64: State]>([:])

    /// Notes that work is asked for.
    func ask(_ ticket: UInt64) {
        states.withLock { $0[ticket] = .waiting }
    }

    /// Notes that work begins on a connection.
    ///
    /// - Throws: `CancellationError` when its task has been cancelled meanwhile.
    func begin(_ ticket: UInt64, on connection: Connection) throws {
        try states.withLock { states in
            if case .cancelled = states[ticket] { throw CancellationError() }
            states[ticket] = .running(connection)
        }
    }

    /// Stops work, or keeps it from beginning; does nothing once it is done.
    func cancel(_ ticket: UInt64) {
        states.withLock { states in
            switch states[ticket] {
            // Inside the lock: the connection may be another's as soon as the work is done.
            case .running(let connection): connection.giveUp()
            case .waiting, .cancelled: break
            case nil: return
            }
            states[ticket] = .cancelled
        }
    }

    /// Notes that work is done.
    ///
    /// - Returns: Whether it was cancelled before that.
    @discardableResult
    func end(_ ticket: UInt64) -> Bool {
        states.withLock { states in
            if case .cancelled = states.removeValue(forKey: ticket) { true } else { false }
        }
    }
}
