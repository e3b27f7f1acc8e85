import Logging

/// A write that waits for an event other than its turn, such as a timer, and that must not be lost if the store closes
/// first.
package protocol DeferredWrite: AnyObject, Sendable {
    /// Queues the pending write for the writer; runs neither user code nor the engine.
    func queue()
}

/// Writes that no caller waits for.
extension Store {
    /// The deferred writes; closing the store queues all of them in one step.
    package var deferredWrites: Locked<[ObjectIdentifier: any DeferredWrite]> { pool.deferredWrites }

    /// Queues a write and returns at once; it runs later, in a transaction that other writes may share.
    ///
    /// Closing the store waits for the write and for `finish`.
    ///
    /// - Parameters:
    ///   - label: Its name in error messages.
    ///   - work: The write.
    ///   - undone: Called if the write has failed and is undone, before the next write; must return quickly.
    ///   - finish: Called once with the outcome, on the thread that has committed; must neither read nor write with a
    ///     blocking call, nor wait for a thread that does.
    package func queueWrite(
        _ label: String,
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void,
        undone: @escaping @Sendable () -> Void,
        finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        pool.queueWrite(label, { connection in try work(WriteTransaction(connection)) }, undone: undone, finish: finish)
    }

    /// Logs failures that are reported to no caller, to the configuration's logger or, without one, to swift-log's
    /// default.
    ///
    /// - Returns: Logs a message with metadata; also works after the store is closed.
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
            // The store is closed; the write fails with that error.
            return nil
        }
    }
}
