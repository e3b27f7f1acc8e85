extension Store {
    /// Rewrites the file with the current key of its chain and the current cipher settings, if it is not on them already. By itself a store does
    /// so while it is opened; this is for a key that came later, and for ``RotationPolicy/manual``.
    ///
    /// Asks the configuration for the chain and waits for what runs in the store; what comes meanwhile waits, and goes on with the new key. Another
    /// process that has the file open finds the new key in its configuration by itself, at its next transaction. With other cipher settings,
    /// and for a plaintext file, the file has to be had alone: close it in other processes first.
    ///
    /// Whenever it is interrupted, the file opens with a key of the chain and every row is there. Have as much space on the disk as the file is
    /// large.
    ///
    /// ```swift
    /// let report = try await store.rotate { progress in
    ///     print(progress.phase, progress.done, progress.total)
    /// }
    /// print(report.from, report.to, report.bytes)
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: How long each of those who read or write in this process is waited for; nil for as long as it takes.
    ///   - progress: Told how far it has come, on a thread of the rotation's; must return soon.
    /// - Returns: What was done.
    /// - Throws: `CancellationError` when the task is cancelled before the new content takes the place of the old one; ``StrongroomError`` with
    ///   `timedOut` naming those who were waited for; `locked` naming the processes that have the file open; `diskFull`, `damaged`,
    ///   `rotationFailed`, `wrongKey`; `notAuthorized` with ``RotationPolicy/never``; `encryptedFile` when the chain stands for plaintext;
    ///   `closed`; what the configuration throws. The file is on the key that it had then, and the store goes on.
    @discardableResult
    public func rotate(
        timeout: Duration? = nil,
        progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
    ) async throws -> RotationReport {
        let opening = try file.opening()
        guard opening.settings.rotation != .never else {
            throw StrongroomError(
                .notAuthorized,
                "The configuration's settings say that the file is never rotated; give another `RotationPolicy`.",
                database: name.fileName
            )
        }
        let lock = try await opening.takeLock()
        let chain = try await opening.configuration.keyChain(for: name)
        guard !chain.isPlaintext else { throw opening.encryptedFound }
        let limits = AccessLimits(label: "rotation", timeout: timeout)
        let report = try await access.performAlone(limits) { [file] isCancelled in
            try file.rotate(chain, RotationWatcher(progress: progress, isCancelled: isCancelled))
        }
        lock.release()
        return report
    }
}
