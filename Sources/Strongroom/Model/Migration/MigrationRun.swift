/// The progress callback and the cancellation of a run of steps.
struct MigrationRun: Sendable {
    typealias Progress = @Sendable (MigrationProgress) -> Void

    var progress: [Progress] = []
    /// Nil if the caller that provides the connection interrupts it.
    var stop: MigrationStop?
    /// Whether the result is discarded.
    var isRehearsal = false

    func tell(_ progress: MigrationProgress) {
        for each in self.progress { each(progress) }
    }
}

/// Cancels a migration from another thread.
final class MigrationStop: Sendable {
    private struct State {
        var isStopped = false
        var connection: Connection?
    }

    private let state = Locked(State())

    /// Whether it has been cancelled.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Interrupts the current step and prevents further ones.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.connection?.interrupt(.alone)
        }
    }

    /// Runs work on a connection that ``stop()`` interrupts.
    func watching<T>(_ connection: Connection, _ work: () throws -> T) throws -> T {
        connection.beginWork(.alone)
        try state.withLock { state in
            if state.isStopped { throw CancellationError() }
            state.connection = connection
        }
        defer {
            state.withLock { $0.connection = nil }
            connection.beginWork(.alone)
        }
        return try work()
    }
}
