public import Foundation
import Logging

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
    /// With ``RotationSubject/dataKey`` the file is rewritten with a new data key, which every slot of the envelope
    /// then wraps: rotate it if it may have leaked. This needs the keys of all slots: those of the chain, and in `keys`
    /// the others, such as recovery keys; the slot of a public key needs only that. Until the file is rewritten, the
    /// envelope holds both data keys; an interrupted rotation is resumed by the next one, or when the file is opened.
    ///
    /// ```swift
    /// try await store.rotate(.dataKey, keys: [.recovery(RecoveryKey(written))])
    /// ```
    ///
    /// - Parameters:
    ///   - subject: What to rotate: the chain's key or, for a file with an envelope, the data key.
    ///   - keys: For ``RotationSubject/dataKey`` the keys of slots that are not in the chain.
    ///   - timeout: How long to wait for reads and writes in this process; nil for no limit.
    ///   - progress: Called with `waiting`, `checking` (not if pages are copied), `writing` and `verifying`, in bytes,
    ///     on the rotation's own thread; must return quickly.
    /// - Returns: What was done.
    /// - Throws: `CancellationError` if the task is cancelled before the new content replaces the old;
    ///   ``StrongroomError`` with `timedOut` naming the operations that were running; `locked` naming the processes
    ///   that have the file open; `diskFull`, `damaged`, `rotationFailed`, `wrongKey`; `notDeclared` with
    ///   ``RotationPolicy/never``; with a plaintext chain, `plaintextFile` for a plaintext file, and `encryptedFile`
    ///   for another one; `closed`, `readOnly`; for a data key `keySlot` when the keys of slots are missing,
    ///   `notDeclared` when the file has no envelope, `envelopeMissing` when it is gone, `envelopeDamaged`,
    ///   `newerEnvelope`, `foreignEnvelope`, `keyProvider`; what the configuration throws. The file keeps its key then,
    ///   and the store stays usable.
    @discardableResult
    public func rotate(
        _ subject: RotationSubject = .chain,
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
        defer { context.keyEvents?.deliver() }
        return try await pool.observing(.rotate, label: "rotation") { watch in
            try await file.keyChanges.run {
                guard subject == .chain, try file.isSettled() else {
                    let newDataKey = subject == .dataKey ? keys : nil
                    return try await rewrite(context, limits, newDataKey: newDataKey, watch, progress)
                }
                let lock = try await context.lock()
                let chain = try await keysToRotateTo(context)
                watch?.grant()
                let report = try await BlockingWork.run { [file] in try file.rotateEnvelope(chain) }
                lock.release()
                return report
            }
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

    private func keysToRotateTo(_ context: StoreContext) async throws -> KeyChain {
        let chain = try await context.keyChain()
        guard !chain.isPlaintext else {
            throw try file.derivedKey() == nil ? noKeyToRotateTo : context.encryptedFound()
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

extension StoreFile {
    /// Rewrites the file, and its envelope, with the current key and settings; this process has no connection to the
    /// file meanwhile, and the caller holds the lock between processes.
    ///
    /// - Parameter otherKeys: The keys, in addition to the chain's, for which a new data key is wrapped; nil to keep
    ///   the data key.
    func rotate(
        _ chain: KeyChain, newDataKey otherKeys: [Key]?, _ monitor: WorkMonitor
    ) throws -> RotationReport {
        let context = try context()
        let content = try FileContent.of(context.path)
        guard content != .absent else { throw context.file.gone }
        var (keys, unlocked) = try context.unlock(content, chain)
        keys.otherKeys = otherKeys ?? []
        // Also adopted on failure: the envelope may already have a new data key that the file does not have.
        defer { adopt(keys, unlocked) }
        defer { unlocked.connection.close() }
        if otherKeys != nil {
            guard keys.envelope != nil || keys.isEnvelopeWanted else { throw try noEnvelope() }
            try keys.addDataKey(for: &unlocked)
        }
        let options = DatabaseKeys.RotationOptions(
            isThorough: true, patience: context.settings.openTimeout, monitor: monitor, reopens: false,
            whenReplaced: { try OpenFiles.shared.identify(context.path) })
        let done = try keys.rewriteAndRenew(&unlocked, salt: content.salt, options, whenFailed: { throw $0 })
        guard let report = done else {
            let size = try FileStatus.at(context.path)?.size ?? 0
            return RotationReport(unchanged: keys.lastPosition, keys.settings, bytes: size)
        }
        context.logger?.info("rotated", metadata: ["method": "\(report.method)"])
        return report
    }

    /// Replaces the older key in the envelope with the current one; the caller holds the lock between processes.
    func rotateEnvelope(_ chain: KeyChain) throws -> RotationReport {
        let context = try context()
        guard let known = try wrapped() else { throw try noEnvelope() }
        var keys = try context.databaseKeys(chain, salt: known.salt)
        guard let found = keys.envelope else { throw keys.envelopeFile.missing }
        // Another process may be rewriting the file with a newer one.
        let newest = found.dataKeys == known.dataKeys ? try derivedKey() : nil
        let report = try keys.renewEnvelope(isRotating: true, isThorough: true, newest: newest, keys.settings)
        if let report { context.logger?.info("rotated", metadata: ["method": "\(report.method)"]) }
        let bytes = Int64(found.bytes.count)
        return report ?? RotationReport(unchanged: keys.lastPosition, keys.settings, bytes: bytes)
    }
}

extension RotationReport {
    /// The report of a rotation that had nothing to do.
    fileprivate init(unchanged position: Int, _ settings: CipherSettings, bytes: Int64) {
        self.init(
            method: .unchanged, from: position, to: position, previousSettings: settings, settings: settings,
            bytes: bytes)
    }
}

/// The keys of an envelope.
extension Store {
    /// The keys that open the database's envelope, oldest first.
    ///
    /// ```swift
    /// for slot in try await store.keySlots() {
    ///     print(slot.fingerprint, slot.label, slot.created, slot.isRecovery)
    /// }
    /// ```
    ///
    /// - Returns: The slots; the list is authenticated. An older version of the list is accepted if both of the
    ///   envelope's files were put back to it.
    /// - Throws: ``StrongroomError`` with `envelopeMissing`, `notDeclared` if the file has no envelope,
    ///   `envelopeDamaged`, `newerEnvelope`, `foreignEnvelope`, `wrongKey`, `keyProvider`, `closed`.
    public func keySlots() async throws -> [KeySlot] {
        try await withEnvelope { $0.keySlots }
    }

    /// When the file got the data key with which it is encrypted.
    ///
    /// ```swift
    /// let date = try await store.dataKeyDate()
    /// ```
    ///
    /// - Returns: The date, to the second; nil if it is not known: the file has its data key from an earlier version of
    ///   the library, or from a restore; or the date is in the future, because the clock was wrong.
    /// - Throws: As ``keySlots()``; what a read throws.
    public func dataKeyDate() async throws -> Date? {
        let dataKey = try await withEnvelope { [file] envelope in
            try file.derivedKey().flatMap { try envelope.dataKey(of: $0) }
        }
        guard let dataKey else { return nil }
        return try await pool.read(OperationLimits(isObserved: false)) { try $0.recorded(dataKey)?.date() }
    }

    /// Adds a key that opens the database. Only the envelope is written; reads and writes continue.
    ///
    /// ```swift
    /// let slot = try await store.addKey(.passphrase(secretOfTheBackup), label: "backup")
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key; a passphrase costs its derivation, an external key two calls of its provider. A public key
    ///     (``Key/publicKey(pem:)``) gets the slot of a recovery key.
    ///   - label: The slot's name: at most 255 bytes, no control characters. It can be read without a key.
    /// - Returns: The key's slot.
    /// - Throws: ``StrongroomError`` with `keySlot` if the key already has a slot, if there are 64, or if the label is
    ///   invalid; `invalidKey` for a key that cannot wrap; for an external key `keyProvider`, and `invalidArgument` if
    ///   its provider wraps to no bytes or too many; as ``keySlots()``; `readOnly`, `locked`, `diskFull`. Nothing
    ///   is changed then, unless the message says that the first copy is already the new one, after a disk failure.
    @discardableResult
    public func addKey(_ key: Key, label: String = "") async throws -> KeySlot {
        try await changeEnvelope { envelope in try envelope.add(key, label: label, date: .now) }
    }

    /// Removes a key, so that it no longer opens the database. Only the envelope is written.
    ///
    /// Earlier copies of the envelope still open with the key. If its owner may have obtained the data key as well,
    /// rotate that with ``rotate(_:keys:timeout:progress:)`` and ``RotationSubject/dataKey``.
    ///
    /// ```swift
    /// try await store.revokeKey(slot.fingerprint)
    /// ```
    ///
    /// - Parameter fingerprint: The slot's fingerprint, as ``keySlots()`` lists it.
    /// - Throws: ``StrongroomError`` with `keySlot` if there is no such slot, or no key of a chain would be left; as
    ///   ``keySlots()``; `readOnly`, `locked`, `diskFull`. Nothing is changed then, with the exception of
    ///   ``addKey(_:label:)``.
    public func revokeKey(_ fingerprint: KeyFingerprint) async throws {
        try await changeEnvelope { envelope in try envelope.revoke(fingerprint) }
    }

    /// Creates a random recovery key, for use if the other keys are lost, and its slot.
    ///
    /// It opens the database as `Key.recovery(_:)`, preferably as the first key of a chain whose last key is new: the
    /// new key then gets a slot, and the recovery key keeps its own.
    ///
    /// ```swift
    /// print(try await store.recoveryKey(label: "safe").text)   // once; it is kept nowhere
    /// ```
    ///
    /// - Parameter label: The slot's name: at most 255 bytes, no control characters. It can be read without a key.
    /// - Returns: The key, to be displayed once.
    /// - Throws: As ``addKey(_:label:)``.
    public func recoveryKey(label: String = "") async throws -> RecoveryKey {
        try await recoverySlot(label: label).key
    }

    /// As ``recoveryKey(label:)``, with the slot.
    package func recoverySlot(label: String) async throws -> (slot: KeySlot, key: RecoveryKey) {
        try await changeEnvelope { envelope in try envelope.addRecoveryKey(label: label, date: .now) }
    }

    /// The slots, as ``keySlots()``, with the keys of the chain that have them.
    package func keySlotsWithKeys() async throws -> [(slot: KeySlot, key: KeyUse?)] {
        let chain = try await file.context().keyChain()
        return try await withEnvelope { envelope in
            var keys: [KeyFingerprint: KeyUse] = [:]
            for (position, key) in chain.keys.enumerated() where key != .plaintext {
                guard let slot = try envelope.slot(of: key) else { continue }
                keys[slot.fingerprint] = KeyUse(position: position, count: chain.count)
            }
            return envelope.keySlots.map { ($0, keys[$0.fingerprint]) }
        }
    }

    /// Gives the slot of a key of the chain another label.
    package func labelKey(_ fingerprint: KeyFingerprint, _ label: String) async throws -> KeySlot {
        let chain = try await file.context().keyChain()
        return try await changeEnvelope { try $0.label(fingerprint, label, keys: chain.keys) }
    }

    private func withEnvelope<T: Sendable>(
        _ work: @escaping @Sendable (inout OpenEnvelope) throws -> T
    ) async throws -> T {
        defer { try? file.context().keyEvents?.deliver() }
        return try await BlockingWork.run { [file] in
            var envelope = try file.openEnvelope()
            return try work(&envelope)
        }
    }

    private func changeEnvelope<T: Sendable>(
        _ change: @escaping @Sendable (inout OpenEnvelope) throws -> T
    ) async throws -> T {
        let context = try file.contextToWrite()
        defer { context.keyEvents?.deliver() }
        return try await file.keyChanges.run {
            let lock = try await file.contextToWrite().lock()
            let result = try await BlockingWork.run { [file] in try file.changeEnvelope(change) }
            lock.release()
            return result
        }
    }
}
