import Foundation

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
    /// - Returns: What is known of each; the list is proved to be one that was written. An older one counts, too, when
    ///   somebody has put both of the envelope's files back to it.
    /// - Throws: ``StrongroomError`` with `envelopeMissing`, also when the file has no envelope, `envelopeDamaged`,
    ///   `newerEnvelope`, `foreignEnvelope`, `wrongKey`, `closed`.
    public func keySlots() async throws -> [KeySlot] {
        try await BlockingWork.run { [file] in try file.openEnvelope().keySlots }
    }

    /// Lets another key open the database, too. Only the envelope is written, and nobody who reads or writes is waited
    /// for.
    ///
    /// ```swift
    /// let slot = try await store.addKey(.passphrase(secretOfTheBackup), label: "backup")
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key; a passphrase costs its derivation.
    ///   - label: What the slot is called: at most 255 bytes, no control characters. It can be read without a key.
    /// - Returns: The key's slot.
    /// - Throws: ``StrongroomError`` with `keySlot` when the key has a slot already, when there are 64, or for a label
    ///   that cannot be one; `invalidKey` for a key that cannot wrap; as ``keySlots()``; `readOnly`, `locked`,
    ///   `diskFull`. Nothing is changed then, unless the message says that the first copy is the new one already, after
    ///   a failure of the disk.
    @discardableResult
    public func addKey(_ key: Key, label: String = "") async throws -> KeySlot {
        try await changeEnvelope { envelope in try envelope.add(key, label: label, date: .now) }
    }

    /// Keeps a key from opening the database. Only the envelope is written.
    ///
    /// Copies of the envelope from before still open with the key: whoever may have had the data key, too, is kept out
    /// by ``rotate(_:keys:timeout:progress:)`` with ``RotationSubject/dataKey``.
    ///
    /// ```swift
    /// try await store.revokeKey(slot.fingerprint)
    /// ```
    ///
    /// - Parameter fingerprint: The slot's fingerprint, as ``keySlots()`` lists it.
    /// - Throws: ``StrongroomError`` with `keySlot` when there is no such slot, or no key of a chain would be left; as
    ///   ``keySlots()``; `readOnly`, `locked`, `diskFull`. Nothing is changed then, with the exception of
    ///   ``addKey(_:label:)``.
    public func revokeKey(_ fingerprint: KeyFingerprint) async throws {
        try await changeEnvelope { envelope in try envelope.revoke(fingerprint) }
    }

    /// Makes a random key for the day when the others are lost, and its slot.
    ///
    /// It opens the database as `Key.recovery(_:)`, best at the beginning of a chain whose last key is a new one: that
    /// one gets a slot then, and the recovery key keeps its own.
    ///
    /// ```swift
    /// print(try await store.recoveryKey(label: "safe").text)   // once; it is kept nowhere
    /// ```
    ///
    /// - Parameter label: What the slot is called: at most 255 bytes, no control characters. It can be read without a
    ///   key.
    /// - Returns: The key, to be shown once.
    /// - Throws: As ``addKey(_:label:)``.
    public func recoveryKey(label: String = "") async throws -> RecoveryKey {
        try await changeEnvelope { envelope in try envelope.addRecoveryKey(label: label, date: .now) }
    }

    private func changeEnvelope<T: Sendable>(
        _ change: @escaping @Sendable (inout OpenEnvelope) throws -> T
    ) async throws -> T {
        try await file.keyChanges.run {
            let lock = try await file.contextToWrite().lock()
            let result = try await BlockingWork.run { [file] in try file.changeEnvelope(change) }
            lock.release()
            return result
        }
    }
}
