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
    /// - Returns: The slots; the list is authenticated. An older version of the list is accepted if both of the
    ///   envelope's files were put back to it.
    /// - Throws: ``StrongroomError`` with `envelopeMissing`, `notDeclared` if the file has no envelope,
    ///   `envelopeDamaged`, `newerEnvelope`, `foreignEnvelope`, `wrongKey`, `closed`.
    public func keySlots() async throws -> [KeySlot] {
        try await BlockingWork.run { [file] in try file.openEnvelope().keySlots }
    }

    /// Adds a key that opens the database. Only the envelope is written; reads and writes continue.
    ///
    /// ```swift
    /// let slot = try await store.addKey(.passphrase(secretOfTheBackup), label: "backup")
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key; a passphrase costs its derivation.
    ///   - label: The slot's name: at most 255 bytes, no control characters. It can be read without a key.
    /// - Returns: The key's slot.
    /// - Throws: ``StrongroomError`` with `keySlot` if the key already has a slot, if there are 64, or if the label is
    ///   invalid; `invalidKey` for a key that cannot wrap; as ``keySlots()``; `readOnly`, `locked`, `diskFull`. Nothing
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
        return try await BlockingWork.run { [file] in
            var envelope = try file.openEnvelope()
            var keys: [KeyFingerprint: KeyUse] = [:]
            for (place, key) in chain.keys.enumerated() where key != .plaintext {
                guard let slot = try envelope.slot(of: key) else { continue }
                keys[slot.fingerprint] = KeyUse(place: place, count: chain.count)
            }
            return envelope.keySlots.map { ($0, keys[$0.fingerprint]) }
        }
    }

    /// Gives the slot of a key of the chain another label.
    package func labelKey(_ fingerprint: KeyFingerprint, _ label: String) async throws -> KeySlot {
        let chain = try await file.context().keyChain()
        return try await changeEnvelope { try $0.label(fingerprint, label, keys: chain.keys) }
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
