/// Whom a run of steps tells of its progress, and who may stop it.
struct MigrationRun: Sendable {
    typealias Progress = @Sendable (MigrationProgress) -> Void

    var progress: [Progress] = []
    /// Nil where whoever lends the connection stops its work.
    var stop: MigrationStop?
    /// Whether what is done is thrown away.
    var isRehearsal = false

    func tell(_ progress: MigrationProgress) {
        for each in self.progress { each(progress) }
    }
}

/// Stops a migration from another thread.
final class MigrationStop: Sendable {
    private struct State {
        var isStopped = false
        var connection: Connection?
    }

    private let state = Locked(State())

    /// Whether it has been stopped.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stops the step that runs, and lets no other one begin.
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
