import Logging

/// A write that waits for something else than its turn, such as the end of a time, and that must not be lost when the
/// store closes before.
package protocol DeferredWrite: AnyObject, Sendable {
    /// Puts what there is to write into the writer's line; runs neither the user's code nor the engine.
    func queue()
}

/// Writes that no caller waits for.
extension Store {
    /// The writes that wait for something else than their turn; closing the store queues all of them, in one step.
    package var deferredWrites: Locked<[ObjectIdentifier: any DeferredWrite]> { pool.deferredWrites }

    /// Puts a write into the line and returns at once; it runs later, in a transaction that others may share.
    ///
    /// Closing the store waits for the write, and for the closure that gets its outcome.
    ///
    /// - Parameters:
    ///   - label: How errors name it.
    ///   - work: The write.
    ///   - undone: Called when the write has failed and is undone, before anybody else writes; must return soon.
    ///   - finish: Called once with the outcome, on the thread that has committed; may neither read nor write with a
    ///     blocking call, nor wait for a thread that does.
    package func queueWrite(
        _ label: String,
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void,
        undone: @escaping @Sendable () -> Void,
        finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        pool.queueWrite(label, { connection in try work(WriteTransaction(connection)) }, undone: undone, finish: finish)
    }

    /// Logs failures of which no caller is told: to the configuration's logger, or where there is none to swift-log's.
    ///
    /// - Returns: Logs a message with metadata; also after the store is closed.
    package func failureLog() -> @Sendable (_ message: String, _ metadata: [String: String]) -> Void {
        var logger = configuredLogger ?? Logger(label: "strongroom")
        logger[metadataKey: "database"] = .string(name.fileName)
        return { [logger] message, metadata in
            logger.error("\(message)", metadata: metadata.mapValues { .string($0) })
        }
    }

    private var configuredLogger: Logger? {
        do {
            return try file.context().logger
        } catch {
            // It is closed, and the write will say so.
            return nil
        }
    }
}
