import Foundation

/// Bringing a file and its envelope to the current key; the lock between processes is held.
extension FileKeys {
    /// Rewrites the file with the key and the settings that it is to have, if it is not on them; first makes the envelope that is wanted.
    ///
    /// - Parameters:
    ///   - choice: The key that opens it. Its connection is closed when something is to be done.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long other processes are waited for when the file has to be had alone.
    ///   - whenReplaced: Called when another file lies at the path, and the one that lay there before is still open.
    /// - Returns: What was done, and the key that the file is on now; nil when it is as it is to be.
    mutating func rewrite(
        _ choice: KeyChoice, salt: [UInt8]?, patience: Duration, watcher: RotationWatcher,
        whenReplaced: () throws -> Void
    ) throws -> (report: RotationReport, key: DerivedKey)? {
        try makeEnvelope(salt: salt)
        guard let fileKey else { return nil }
        return try Rotation.run(
            file, choice, to: fileKey, place: lastPlace, settings, salt: salt, patience: patience, watcher: watcher,
            whenReplaced: whenReplaced)
    }

    /// Brings the envelope to the current key, forgets a data key that the file is not on any more, and heals its copies.
    ///
    /// - Parameters:
    ///   - isRotating: Whether the slot that the current key is not in is replaced; if not, the copies are healed and nothing more.
    ///   - isOnNewest: Whether the file is on the newest data key.
    ///   - settings: The settings that the file has.
    /// - Returns: What was done; nil when the current key had its slot already.
    mutating func renewEnvelope(
        isRotating: Bool, isOnNewest: Bool, _ settings: CipherSettings
    ) throws -> RotationReport? {
        guard let opened = envelope else { return nil }
        let start = ContinuousClock.now
        let formerPlace = slotPlace
        var changed = opened.envelope
        if isRotating {
            try putCurrentKeyIn(&changed)
            if isOnNewest { try forgetFormerDataKey(&changed) }
        }
        let isChanged = changed.envelope != opened.envelope.envelope
        guard isChanged || !opened.isWhole else { return nil }
        try sidecar.replace(changed)
        envelope = EnvelopeFile.Opened(envelope: changed, isWhole: true)
        guard isRotating, formerPlace != lastPlace else { return nil }
        slotPlace = lastPlace
        return RotationReport(
            method: .envelope,
            from: formerPlace,
            to: lastPlace,
            formerSettings: settings,
            settings: settings,
            bytes: Int64(changed.envelope.bytes.count),
            isOldContentGone: true,
            writingDuration: ContinuousClock.now - start,
            verificationDuration: .zero
        )
    }

    /// Puts the current key in the place of the one that opened the envelope. A recovery key's slot stays: it was written down for another day.
    private func putCurrentKeyIn(_ envelope: inout OpenEnvelope) throws {
        guard slotPlace != lastPlace, let key = chain.current, let used = envelope.usedSlot else { return }
        let isRecovery = envelope.keySlots.contains { $0.fingerprint == used && $0.isRecovery }
        if !isRecovery {
            try envelope.replace(used, with: key, label: "", date: .now)
        } else if try envelope.slot(of: key) == nil {
            try envelope.add(key, label: "", date: .now)
        }
    }

    /// Keeps the newest data key alone. Where a slot's key is not at hand both stay, which does no harm: the slot would be lost.
    private func forgetFormerDataKey(_ envelope: inout OpenEnvelope) throws {
        guard envelope.dataKeys.count > 1, let newest = envelope.dataKeys.each.last else { return }
        guard try slotsOutOfReach(&envelope).isEmpty else { return }
        _ = try envelope.rewrap(newest, keys: chain.keys + otherKeys)
    }

    /// As ``renewEnvelope(isRotating:isOnNewest:_:)``, for the key that opens the file.
    mutating func renewEnvelope(isRotating: Bool, _ choice: KeyChoice) throws -> RotationReport? {
        try renewEnvelope(
            isRotating: isRotating, isOnNewest: choice.isWrapped && choice.isCurrent,
            choice.derived?.settings ?? settings)
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
    /// - Throws: ``StrongroomError`` with `keySlot` naming the slots whose keys are not at hand; nothing is changed then.
    mutating func addDataKey() throws {
        guard var changed = envelope?.envelope else { throw sidecar.missing }
        let lost = try slotsOutOfReach(&changed)
        guard lost.isEmpty else { throw outOfReach(lost) }
        _ = try changed.rewrap(changed.dataKeys.withSuccessor(), keys: chain.keys + otherKeys)
        try sidecar.replace(changed)
        envelope = EnvelopeFile.Opened(envelope: changed, isWhole: true)
    }

    private func outOfReach(_ slots: [KeySlot]) -> StrongroomError {
        let list = slots.map { $0.label.isEmpty ? "«\($0.fingerprint)»" : "«\($0.fingerprint)» (\($0.label))" }
        return StrongroomError(
            .keySlot,
            """
            A new data key has to be wrapped for every slot anew, and the keys of these are not at hand: \(list.joined(separator: ", ")). \
            Give them, or revoke them first and add them again later. Nothing was changed.
            """,
            database: file.name
        )
    }
}
