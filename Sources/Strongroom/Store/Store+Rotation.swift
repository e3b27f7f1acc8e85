extension Store {
    /// Rewrites the file with the current key of its chain and the current cipher settings, unless it already has them.
    /// A store does this when it is opened; call it for a key that was added later, and with ``RotationPolicy/manual``.
    ///
    /// Requests the chain from the configuration and waits for the running operations. New operations are admitted
    /// while an operation runs that began earlier; then they wait until the file is rewritten, and continue with the
    /// new key. Another process that has the file open obtains the new key from its configuration at its next
    /// transaction. Other cipher settings, and a plaintext file, need exclusive access to the file: close it in other
    /// processes first.
    ///
    /// With ``KeyProtection/envelope`` the file is not rewritten and no operation is waited for: the current key
    /// replaces the older one in the envelope, and no progress is reported. A file without an envelope gets one.
    ///
    /// If the rotation is interrupted at any point, the file opens with a key of the chain and every row is there. The
    /// disk needs as much free space as the size of the file.
    ///
    /// ```swift
    /// let report = try await store.rotate { progress in
    ///     print(progress.phase, progress.done, progress.total)
    /// }
    /// print(report.from, report.to, report.bytes)
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for reads and writes in this process; nil for no limit.
    ///   - progress: Called with `waiting`, `checking` (not if pages are copied), `writing` and `verifying`, in bytes,
    ///     on the rotation's own thread; must return quickly.
    /// - Returns: What was done.
    /// - Throws: `CancellationError` if the task is cancelled before the new content replaces the old;
    ///   ``StrongroomError`` with `timedOut` naming the operations that were running; `locked` naming the processes
    ///   that have the file open; `diskFull`, `damaged`, `rotationFailed`, `wrongKey`; `notDeclared` with
    ///   ``RotationPolicy/never``; with a plaintext chain, `plaintextFile` for a plaintext file, and `encryptedFile`
    ///   for another one; `closed`, `readOnly`; what the configuration throws. The file keeps its key then, and the
    ///   store stays usable.
    @discardableResult
    public func rotate(
        timeout: Duration? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> RotationReport {
        try await rotate(.chain, timeout: timeout, progress: progress)
    }

    /// Rotates the chain's key or, for a file with an envelope, the data key.
    ///
    /// Rotate the data key if it may have leaked: the file is rewritten with a new one, as without an envelope, and
    /// every slot of the envelope wraps the new one. This needs the keys of all slots: those of the chain, and in
    /// `keys` the others, such as recovery keys. Until the file is rewritten, the envelope holds both data keys; an
    /// interrupted rotation is resumed by the next one, or when the file is opened.
    ///
    /// ```swift
    /// try await store.rotate(.dataKey, keys: [.recovery(RecoveryKey(written))])
    /// ```
    ///
    /// - Parameters:
    ///   - subject: The key to rotate.
    ///   - keys: For ``RotationSubject/dataKey`` the keys of slots that are not in the chain.
    ///   - timeout: How long to wait for reads and writes in this process; nil for no limit.
    ///   - progress: Called with `waiting`, `checking` (not if pages are copied), `writing` and `verifying`, in bytes,
    ///     on the rotation's own thread; must return quickly.
    /// - Returns: What was done.
    /// - Throws: As ``rotate(timeout:progress:)``; ``StrongroomError`` with `keySlot` when the keys of slots are
    ///   missing, `notDeclared` when the file has no envelope, `envelopeMissing` when it is gone, `envelopeDamaged`,
    ///   `newerEnvelope`, `foreignEnvelope`.
    @discardableResult
    public func rotate(
        _ subject: RotationSubject,
        keys: [Key] = [],
        timeout: Duration? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> RotationReport {
        let context = try file.contextToWrite()
        guard context.settings.rotation != .never else {
            throw StrongroomError(
                .notDeclared,
                "The configuration's settings disable rotations of the file; set another `RotationPolicy`.",
                database: name.fileName
            )
        }
        let limits = OperationLimits(label: "rotation", timeout: timeout, isObserved: false)
        return try await pool.observer.observing(.rotate, label: "rotation") { watch in
            try await file.keyChanges.run { try await rotate(subject, keys, context, limits, watch, progress) }
        }
    }

    private var noKeyToRotateTo: StrongroomError {
        StrongroomError(
            .plaintextFile,
            """
            The database is plaintext, and its configuration gives `KeyChain.plaintext`, so there is no key to \
            encrypt it with. Give a chain that begins with `Key.plaintext` and ends with the key that the file is to \
            get, then call `rotate()` again.
            """,
            database: name.fileName)
    }

    private func rotate(
        _ subject: RotationSubject, _ keys: [Key], _ context: StoreContext, _ limits: OperationLimits,
        _ watch: OperationWatch?, _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> RotationReport {
        guard subject == .chain, try file.activeKey().isSettled else {
            return try await rewrite(context, limits, newDataKey: subject == .dataKey ? keys : nil, watch, progress)
        }
        let lock = try await context.lock()
        let chain = try await keysToRotateTo(context)
        watch?.grant()
        let report = try await BlockingWork.run { [file] in try file.rotateEnvelope(chain) }
        lock.release()
        return report
    }

    private func keysToRotateTo(_ context: StoreContext) async throws -> KeyChain {
        let chain = try await context.keyChain()
        guard !chain.isPlaintext else {
            throw try file.activeKey().derivedKey == nil ? noKeyToRotateTo : context.encryptedFound()
        }
        return chain
    }

    /// How often the lock between processes is tried before the connections are closed to wait for it.
    private static let attempts = 5

    /// Rewrites the file while no operation runs in the store.
    ///
    /// The lock between processes is acquired only then: while this waits for a slow reader, other processes can open
    /// the file, and other operations of this process can acquire the lock.
    private func rewrite(
        _ context: StoreContext, _ limits: OperationLimits, newDataKey: [Key]?, _ watch: OperationWatch?,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> RotationReport {
        // Requested while other operations still run.
        var chain = try await keysToRotateTo(context)
        var attempt = 1
        while true {
            let access = try await pool.acquireExclusively(limits)
            watch?.grant()
            if let lock = try await attempt < Self.attempts ? context.file.tryLock() : context.lock() {
                let report = try await pool.perform(access, progress) { [file, chain] monitor in
                    do {
                        return try file.rotate(chain, newDataKey: newDataKey, monitor)
                    } catch let error as StrongroomError where error.code == .wrongKey {
                        // Another process may have rotated the file since the chain was requested.
                        let newer = try BlockingWork.wait {
                            try await context.keyChain()
                        }
                        guard !newer.isPlaintext else { throw error }
                        return try file.rotate(newer, newDataKey: newDataKey, monitor)
                    }
                }
                lock.release()
                return report
            }
            // The holder of the lock may be waiting for a connection of this store.
            access.end()
            try await context.lock().release()
            chain = try await keysToRotateTo(context)
            attempt += 1
        }
    }
}
