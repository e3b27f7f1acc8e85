extension Store {
    /// Rewrites the file with the current key of its chain and the current cipher settings, if it is not on them
    /// already. By itself a store does so while it is opened; this is for a key that came later, and for
    /// ``RotationPolicy/manual``.
    ///
    /// Asks the configuration for the chain and waits for what runs in the store. What comes meanwhile goes on as long
    /// as one runs that was there before; then it waits until the file is rewritten, and goes on with the new key.
    /// Another process that has the file open finds the new key in its configuration by itself, at its next
    /// transaction. With other cipher settings,
    /// and for a plaintext file, exclusive access to the file is needed: close it in other processes first.
    ///
    /// With ``KeyProtection/envelope`` nothing of the file is rewritten and nobody is waited for: the current key takes
    /// the place of the older one in the envelope, of which no progress is told. A file that has no envelope yet gets
    /// it.
    ///
    /// Whenever it is interrupted, the file opens with a key of the chain and every row is there. Have as much space on
    /// the disk as the file is large.
    ///
    /// ```swift
    /// let report = try await store.rotate { progress in
    ///     print(progress.phase, progress.done, progress.total)
    /// }
    /// print(report.from, report.to, report.bytes)
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: How long those who read or write in this process are waited for; nil for as long as it takes.
    ///   - progress: Told how far it has come: `waiting`, `checking`, `writing` and `verifying`, in bytes. Called on a
    ///     thread of the rotation's; must return soon.
    /// - Returns: What was done.
    /// - Throws: `CancellationError` when the task is cancelled before the new content takes the place of the old one;
    ///   ``StrongroomError`` with `timedOut` naming those who were waited for; `locked` naming the processes that have
    ///   the file open; `diskFull`, `damaged`, `rotationFailed`, `wrongKey`; `notAuthorized` with
    ///   ``RotationPolicy/never``; when the chain stands for plaintext, `plaintextFile` for a file that is plaintext,
    ///   and `encryptedFile` for another one; `closed`, `readOnly`; what the configuration throws. The file is on the
    ///   key that it had then, and the store goes on.
    @discardableResult
    public func rotate(
        timeout: Duration? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> RotationReport {
        try await rotate(.chain, timeout: timeout, progress: progress)
    }

    /// Rotates the chain's key or, for a file with an envelope, the data key.
    ///
    /// A new data key is for one that has been leaked: the file is rewritten with it, as without an envelope, and every
    /// slot of the envelope wraps it. So the keys of all slots are needed: those of the chain, and in `keys` the
    /// others, such as recovery keys. Until the file is on the new one the envelope holds both, and an interrupted
    /// rotation is resumed by the next one, or when the file is opened.
    ///
    /// ```swift
    /// try await store.rotate(.dataKey, keys: [.recovery(RecoveryKey(written))])
    /// ```
    ///
    /// - Parameters:
    ///   - subject: What is rotated.
    ///   - keys: For ``RotationSubject/dataKey`` the keys of slots that are not in the chain.
    ///   - timeout: How long those who read or write in this process are waited for; nil for as long as it takes.
    ///   - progress: Told how far it has come: `waiting`, `checking`, `writing` and `verifying`, in bytes. Called on a
    ///     thread of the rotation's; must return soon.
    /// - Returns: What was done.
    /// - Throws: As ``rotate(timeout:progress:)``; ``StrongroomError`` with `keySlot` when the keys of slots are
    ///   missing, `envelopeMissing` when there is no envelope, `envelopeDamaged`, `newerEnvelope`, `foreignEnvelope`.
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
                .notAuthorized,
                "The configuration's settings say that the file is never rotated; give another `RotationPolicy`.",
                database: name.fileName
            )
        }
        return try await file.keyChanges.run { try await rotate(subject, keys, context, timeout, progress) }
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
        _ subject: RotationSubject, _ keys: [Key], _ context: StoreContext, _ timeout: Duration?,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> RotationReport {
        guard subject == .chain, try file.activeKey().isSettled else {
            let limits = OperationLimits(label: "rotation", timeout: timeout)
            return try await rewrite(context, limits, newDataKey: subject == .dataKey ? keys : nil, progress)
        }
        let lock = try await context.lock()
        let chain = try await keysToRotateTo(context)
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

    /// How often the lock between processes is tried before it is waited for with every connection closed.
    private static let attempts = 5

    /// Rewrites the file, when nothing runs in the store.
    ///
    /// The lock between processes is had only then: whoever waits for a slow reader keeps neither other processes from
    /// opening the file nor this one from what needs the lock.
    private func rewrite(
        _ context: StoreContext, _ limits: OperationLimits, newDataKey: [Key]?,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> RotationReport {
        // Asked while the others still read and write.
        var chain = try await keysToRotateTo(context)
        var attempt = 1
        while true {
            let alone = try await pool.takeAlone(limits)
            if let lock = try await attempt < Self.attempts ? context.file.tryLock() : context.lock() {
                let report = try await pool.perform(alone, progress) { [file, chain] monitor in
                    do {
                        return try file.rotate(chain, newDataKey: newDataKey, monitor)
                    } catch let error as StrongroomError where error.code == .wrongKey {
                        // Another process may have rotated it since the chain was asked for.
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
            // Whoever has it may wait for a connection of this store.
            alone.end()
            try await context.lock().release()
            chain = try await keysToRotateTo(context)
            attempt += 1
        }
    }
}
