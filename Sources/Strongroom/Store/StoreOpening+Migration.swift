import Logging

extension StoreOpening {
    /// Tells the logger what a migration did.
    func tell(_ report: MigrationReport) {
        if !report.changed.isEmpty {
            logger?.warning(
                "migrations changed after the file had been through them",
                metadata: ["versions": .array(report.changed.map { .string($0) })])
        }
        for step in report.steps {
            logger?.info(
                report.undone.isEmpty ? "migrated" : "gone back",
                metadata: [
                    "version": .string(step.version), "milliseconds": .stringConvertible(step.duration.fineMilliseconds),
                    "rows": .stringConvertible(step.rows),
                ])
        }
    }
}

extension MigrationStop {
    /// Runs blocking work of a task on a thread of its own; cancelling the task stops the migration in it.
    func running<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withTaskCancellationHandler {
            try await BlockingWork.run(work)
        } onCancel: {
            stop()
        }
    }
}
