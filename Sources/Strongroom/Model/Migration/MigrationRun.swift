/// The progress callbacks and the cancellation of a run of steps.
struct MigrationRun: Sendable {
    var progress: [WorkMonitor.Progress] = []
    /// Cancels the steps; nil if the caller that provides the connection interrupts it.
    var stop: CancellationFlag?
    /// Whether the result is discarded.
    var isDryRun = false

    func report(_ progress: WorkProgress) {
        for each in self.progress { each(progress) }
    }

    /// Runs work on a connection, which is interrupted when the steps are cancelled.
    func interruptible<T>(_ connection: Connection, _ work: () throws -> T) throws -> T {
        guard let stop else { return try work() }
        connection.beginWork(.unshared)
        defer { connection.beginWork(.unshared) }
        return try stop.stopping(with: { connection.interrupt(.unshared) }, work)
    }
}
