import Foundation

/// Bringing a file and its envelope to the current key; the lock between processes is held.
extension DatabaseKeys {
    /// Rewrites the file with the key and the settings that it is to have, if it is not on them; first makes the
    /// envelope that is wanted.
    ///
    /// - Parameters:
    ///   - unlocked: The file with the key that opens it. Its connection is closed when something is to be done.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long to wait for other processes when exclusive access is needed.
    ///   - whenReplaced: Called when another file lies at the path, and the one that lay there before is still open.
    /// - Returns: What was done, and the key that the file is on now; nil when it is as it is to be.
    mutating func rewrite(
        _ unlocked: UnlockedFile, salt: [UInt8]?, patience: Duration, monitor: WorkMonitor = WorkMonitor(),
        whenReplaced: () throws -> Void
    ) throws -> (report: RotationReport, derivedKey: DerivedKey)? {
        try makeEnvelope(salt: salt)
        guard let wantedKey else { return nil }
        return try Rotation.run(
            file, unlocked, to: wantedKey, position: lastPosition, settings, salt: salt, patience: patience,
            monitor: monitor, whenReplaced: whenReplaced)
    }

    /// Brings the envelope to the current key, forgets a data key that the file is not on any more, and heals its
    /// copies.
    ///
    /// - Parameters:
    ///   - isRotating: Whether the slot that the current key is not in is replaced; if not, the copies are healed and
    ///     nothing more.
    ///   - isThorough: Whether also those slots go that older keys of the chain have besides, as when the current one
    ///     was added before; finding them costs a derivation for each passphrase.
    ///   - newest: What the file's connections are keyed with when it is on the newest data key; nil when it is on
    ///     another one.
    ///   - settings: The settings that the file has.
    /// - Returns: What was done; nil when no slot was to be replaced.
    mutating func renewEnvelope(
        isRotating: Bool, isThorough: Bool, newest: DerivedKey?, _ settings: CipherSettings
    ) throws -> RotationReport? {
        guard let former = envelope else { return nil }
        let start = ContinuousClock.now
        var formerPosition = former.position
        var changed = former
        if isRotating {
            try putCurrentKeyIn(&changed)
            if isThorough { formerPosition = try revokeOlderKeys(&changed) ?? formerPosition }
            if let newest { try forgetFormerDataKey(&changed, newest) }
        }
        guard changed.sealed != former.sealed || !former.isWhole else { return nil }
        let isReplaced = isRotating && formerPosition != lastPosition
        if isReplaced { changed.position = lastPosition }
        try write(changed)
        guard isReplaced else { return nil }
        return RotationReport(
            method: .envelope,
            from: formerPosition,
            to: lastPosition,
            formerSettings: settings,
            settings: settings,
            bytes: Int64(changed.bytes.count),
            isOldContentGone: true,
            writingDuration: ContinuousClock.now - start,
            verificationDuration: .zero
        )
    }

    /// Puts the current key in the place of the one that opened the envelope. A recovery key's slot stays: it was
    /// written down for another day.
    private func putCurrentKeyIn(_ envelope: inout OpenEnvelope) throws {
        guard envelope.position != lastPosition, let key = chain.current, let used = envelope.usedSlot else { return }
        let isRecovery = envelope.keySlots.contains { $0.fingerprint == used && $0.isRecovery }
        if !isRecovery {
            try envelope.replace(used, with: key, label: "", date: .now)
        } else if try envelope.slot(of: key) == nil {
            try envelope.add(key, label: "", date: .now)
        }
    }

    /// Takes the slots away that older keys of the chain have; a recovery key in the chain keeps its own.
    ///
    /// - Returns: The position of the newest of them; nil when there was none.
    private func revokeOlderKeys(_ envelope: inout OpenEnvelope) throws -> Int? {
        var newest: Int?
        for (position, key) in chain.keys.enumerated().dropLast() where key != .plaintext {
            guard let slot = try envelope.slot(of: key), !slot.isRecovery else { continue }
            try envelope.revoke(slot.fingerprint)
            newest = position
        }
        return newest
    }

    /// Keeps the newest data key alone. Where a slot's key is not at hand both stay, which does no harm: the slot would
    /// be lost.
    ///
    /// - Parameter key: The newest data key as the file's connections are keyed with it, which it has been seen to
    ///   open.
    private func forgetFormerDataKey(_ envelope: inout OpenEnvelope, _ key: DerivedKey) throws {
        guard envelope.dataKeys.count > 1, let newest = envelope.dataKeys.each.last else { return }
        guard try slotsOutOfReach(&envelope).isEmpty, try isOnDisk(key) else { return }
        _ = try envelope.rewrap(newest, keys: chain.keys + otherKeys)
    }

    /// Brings to the disk what was committed last: whoever gave the file its key may have been killed before that, and
    /// a power cut would bring the former key back.
    ///
    /// - Returns: Whether all of it could be brought there.
    private func isOnDisk(_ key: DerivedKey) throws -> Bool {
        let connection = try file.connect(.existing, key: key)
        defer { connection.close() }
        try connection.proveKey()
        try connection.run("PRAGMA synchronous = FULL")
        guard connection.checkpointAfterCommit().isComplete else { return false }
        try FileSystem.synchronize(FileSystem.directory(of: file.path))
        return true
    }

    /// As ``renewEnvelope(isRotating:isThorough:newest:_:)``, for the key that opens the file. As long as it is not a
    /// data key, the slots stay as they are: whoever took a key out of the chain because its slot is gone would lose
    /// the file.
    mutating func renewEnvelope(
        isRotating: Bool, isThorough: Bool = false, _ unlocked: UnlockedFile
    ) throws -> RotationReport? {
        try renewEnvelope(
            isRotating: isRotating && unlocked.isWrapped, isThorough: isThorough,
            newest: unlocked.isWrapped && unlocked.isCurrent ? unlocked.derivedKey : nil,
            unlocked.derivedKey?.settings ?? settings)
    }

    /// The slots whose keys are not at hand.
    private func slotsOutOfReach(_ envelope: inout OpenEnvelope) throws -> [KeySlot] {
        var held: Set<KeyFingerprint> = []
        for key in chain.keys + otherKeys {
            if let slot = try envelope.slot(of: key) { held.insert(slot.fingerprint) }
        }
        return envelope.keySlots.filter { !held.contains($0.fingerprint) }
    }

    /// Adds a new data key, which the file is then to have; until it has, the envelope holds both.
    ///
    /// - Throws: ``StrongroomError`` with `keySlot` naming the slots whose keys are not at hand; nothing is changed
    ///   then.
    mutating func addDataKey() throws {
        guard var changed = envelope else { throw envelopeFile.missing }
        let lost = try slotsOutOfReach(&changed)
        guard lost.isEmpty else { throw outOfReach(lost) }
        _ = try changed.rewrap(changed.dataKeys.withSuccessor(), keys: chain.keys + otherKeys)
        try write(changed)
    }

    private mutating func write(_ changed: OpenEnvelope) throws {
        try envelopeFile.replace(changed)
        envelope = changed
        envelope?.isWhole = true
    }

    private func outOfReach(_ slots: [KeySlot]) -> StrongroomError {
        let list = slots.map { $0.label.isEmpty ? "\"\($0.fingerprint)\"" : "\"\($0.fingerprint)\" (\($0.label))" }
        return StrongroomError(
            .keySlot,
            """
            A new data key has to be wrapped for every slot anew, and the keys of these are not at hand: \
            \(list.joined(separator: ", ")). Give them, or revoke them first and add them again later. Nothing was \
            changed.
            """,
            database: file.name
        )
    }
}
