/// How steps are run: whom they tell of their progress, and who may stop them.
struct MigrationRun: Sendable {
    var progress: [WorkMonitor.Progress] = []
    /// Stops the steps; nil where whoever lends the connection stops its work.
    var stop: CancellationFlag?
    /// Whether what is done is thrown away.
    var isRehearsal = false

    func report(_ progress: WorkProgress) {
        for each in self.progress { each(progress) }
    }

    /// Runs work on a connection, which is interrupted when it is to stop.
    func interruptible<T>(_ connection: Connection, _ work: () throws -> T) throws -> T {
        guard let stop else { return try work() }
        connection.beginWork(.alone)
        defer { connection.beginWork(.alone) }
        return try stop.stopping(with: { connection.interrupt(.alone) }, work)
    }
}
