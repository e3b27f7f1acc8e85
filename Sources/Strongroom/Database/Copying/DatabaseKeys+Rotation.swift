import Foundation

/// Rotates a file and its envelope to the current key; the lock between processes is held.
extension DatabaseKeys {
    /// Rewrites the file with the key and the settings that it should have, unless it has them already; creates the
    /// required envelope first.
    ///
    /// - Parameters:
    ///   - unlocked: The file with the key that opens it. Its connection is closed if there is something to do.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long to wait for other processes when exclusive access is needed.
    ///   - whenReplaced: Called when another file has replaced the one at the path, which is still open.
    /// - Returns: What was done, and the key that the file has now; nil if nothing was to be done.
    mutating func rewrite(
        _ unlocked: UnlockedFile, salt: [UInt8]?, patience: Duration, monitor: WorkMonitor = WorkMonitor(),
        whenReplaced: @escaping @Sendable () throws -> Void
    ) throws -> (report: RotationReport, derivedKey: DerivedKey)? {
        let isPlaintext = unlocked.derivedKey == nil && chain.current != nil
        if isPlaintext { try file.remember(.converting) }
        try makeEnvelope(salt: salt)
        guard let wantedKey else { return nil }
        let done = try Rotation.run(
            file, unlocked, to: wantedKey, position: lastPosition, settings, salt: salt, patience: patience,
            monitor: monitor, whenReplaced: whenReplaced)
        // If this fails, the next opening does it.
        if isPlaintext { try? file.remember(.encrypted) }
        return done
    }

    /// Rotates the envelope to the current key, removes a data key that the file no longer has, and repairs the copies.
    ///
    /// - Parameters:
    ///   - isRotating: Whether the slot of an older key is replaced by one of the current key; if not, only the copies
    ///     are repaired.
    ///   - isThorough: Whether all other slots of older keys of the chain are removed, too, as when the current one was
    ///     added earlier; finding them requires a derivation for each passphrase.
    ///   - newest: The key of the file's connections if the file has the newest data key; nil if it has another one.
    ///   - settings: The present settings of the file.
    /// - Returns: What was done; nil if no slot had to be replaced.
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

    /// Replaces the key that opened the envelope by the current key. A recovery key keeps its slot, because it is kept
    /// for another occasion.
    private func putCurrentKeyIn(_ envelope: inout OpenEnvelope) throws {
        guard envelope.position != lastPosition, let key = chain.current, let used = envelope.usedSlot else { return }
        let isRecovery = envelope.keySlots.contains { $0.fingerprint == used && $0.isRecovery }
        if !isRecovery {
            try envelope.replace(used, with: key, label: key.slotLabel, date: .now)
        } else if try envelope.slot(of: key) == nil {
            try envelope.add(key, label: key.slotLabel, date: .now)
        }
    }

    /// Removes the slots of older keys of the chain; a recovery key in the chain keeps its slot.
    ///
    /// - Returns: The position of the newest of them; nil if there was none.
    private func revokeOlderKeys(_ envelope: inout OpenEnvelope) throws -> Int? {
        var newest: Int?
        for (position, key) in chain.keys.enumerated().dropLast() where key != .plaintext {
            guard let slot = try envelope.slot(of: key), !slot.isRecovery else { continue }
            try envelope.revoke(slot.fingerprint)
            newest = position
        }
        return newest
    }

    /// Removes all data keys but the newest. If a slot's key is not available, both are kept, which does no harm; the
    /// slot would be lost otherwise.
    ///
    /// - Parameter key: The newest data key as the file's connections are keyed with it; it is known to open the file.
    private func forgetFormerDataKey(_ envelope: inout OpenEnvelope, _ key: DerivedKey) throws {
        guard envelope.dataKeys.count > 1, let newest = envelope.dataKeys.each.last else { return }
        guard try slotsOutOfReach(&envelope).isEmpty, try isOnDisk(key) else { return }
        _ = try envelope.rewrap(newest, keys: chain.keys + otherKeys)
    }

    /// Synchronizes the last commits to disk: the process that rekeyed the file may have been killed before that, and a
    /// power failure would restore the former key.
    ///
    /// - Returns: Whether everything is on disk.
    private func isOnDisk(_ key: DerivedKey) throws -> Bool {
        let connection = try file.connect(.existing, key: key)
        defer { connection.close() }
        try connection.proveKey()
        try connection.run("PRAGMA synchronous = FULL")
        guard connection.checkpointAfterCommit().isComplete else { return false }
        try FileSystem.synchronize(FileSystem.directory(of: file.path))
        return true
    }

    /// As ``renewEnvelope(isRotating:isThorough:newest:_:)``, for the key that opens the file. While the file has no
    /// data key, the slots are kept: a user who removed a key from the chain because its slot is gone would lose access
    /// to the file.
    mutating func renewEnvelope(
        isRotating: Bool, isThorough: Bool = false, _ unlocked: UnlockedFile
    ) throws -> RotationReport? {
        try renewEnvelope(
            isRotating: isRotating && unlocked.isWrapped, isThorough: isThorough,
            newest: unlocked.isWrapped && unlocked.isCurrent ? unlocked.derivedKey : nil,
            unlocked.derivedKey?.settings ?? settings)
    }

    /// The slots whose keys are not available.
    private func slotsOutOfReach(_ envelope: inout OpenEnvelope) throws -> [KeySlot] {
        var held: Set<KeyFingerprint> = []
        for key in chain.keys + otherKeys {
            if let slot = try envelope.slot(of: key) { held.insert(slot.fingerprint) }
        }
        return envelope.keySlots.filter { !held.contains($0.fingerprint) }
    }

    /// Adds a new data key for the file; until the file has it, the envelope contains both.
    ///
    /// - Throws: ``StrongroomError`` with `keySlot` naming the slots whose keys are not available; nothing is changed
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
        // Both copies are newer.
        try envelopeFile.removeNext()
        envelope = changed
        envelope?.isWhole = true
    }

    private func outOfReach(_ slots: [KeySlot]) -> StrongroomError {
        let list = slots.map { $0.label.isEmpty ? "\"\($0.fingerprint)\"" : "\"\($0.fingerprint)\" (\($0.label))" }
        return StrongroomError(
            .keySlot,
            """
            A new data key has to be wrapped for every slot, and the keys of these slots are not available: \
            \(list.joined(separator: ", ")). Give them, or revoke them first and add them again later. Nothing was \
            changed.
            """,
            database: file.name
        )
    }
}

extension Rotation {
    /// Rotates a file to the key that it should have and the current cipher settings, unless it has them already.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - unlocked: The file with the key that opens it. Its connection is closed if there is something to do.
    ///   - key: The key that it should have: the chain's current one, or the newest data key.
    ///   - position: The index in the chain of the current key.
    ///   - settings: The settings that it should have.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long to wait for other processes when exclusive access is needed.
    ///   - monitor: The monitor to report to.
    ///   - whenReplaced: Called when another file has replaced the one at the path, which is still open.
    /// - Returns: What was done, and the key that the file has now.
    static func run(
        _ file: DatabaseFile,
        _ unlocked: UnlockedFile,
        to key: Key,
        position: Int,
        _ settings: CipherSettings,
        salt: [UInt8]?,
        patience: Duration,
        monitor: WorkMonitor,
        whenReplaced: @escaping @Sendable () throws -> Void
    ) throws -> (report: RotationReport, derivedKey: DerivedKey)? {
        guard !unlocked.isCurrent || unlocked.derivedKey?.settings != settings else { return nil }
        unlocked.connection.close()
        let start = ContinuousClock.now
        let salt = salt ?? key.salt ?? CipherSettings.randomSalt()
        let derived = try unlocked.currentKey ?? DerivedKey(key, salt: salt, settings: settings)
        let outcome = try Rotation(
            file: file, from: unlocked.derivedKey, to: derived, patience: patience, monitor: monitor,
            whenReplaced: whenReplaced
        ).run()
        var report = RotationReport(
            method: outcome.method,
            from: unlocked.derivedKey == nil ? nil : unlocked.position,
            to: position,
            formerSettings: unlocked.derivedKey?.settings,
            settings: settings,
            bytes: outcome.bytes,
            isOldContentGone: try outcome.isOldContentGone && !file.hasMigrationBackups(),
            writingDuration: ContinuousClock.now - start - outcome.verification,
            verificationDuration: outcome.verification
        )
        report.attributesNotKept = outcome.attributesNotKept
        return (report, derived)
    }
}

extension DatabaseFile {
    /// Removes files that killed processes have left beside the database. They are created only under the lock that is
    /// held while the database is opened.
    ///
    /// - Parameters:
    ///   - companions: Those that exist, see ``requireOwnCompanions()``. Nothing else is left: a copy's journal and WAL
    ///     are created after the copy and removed before it.
    ///   - exists: Whether the database file exists.
    func removeLeftovers(_ companions: Set<String>, exists: Bool) throws {
        // Nearly always.
        guard !companions.isEmpty else { return }
        try EnvelopeFile(databasePath: path, name: name).removeLeftovers()
        if exists {
            try removeSecondName()
            try Rotation.removeLeftovers(of: path)
        }
        for ending in ["snapshot.new", "restoring", "fetched", "restored"] where companions.contains(ending) {
            try FileSystem.removeCopy(FileSystem.companion(of: path, ending))
        }
        // Records of commits, which 0.2.0 kept; those that this user cannot read or remove do no harm.
        let records = FileSystem.companion(of: path, "changes")
        let mark = Array("strongroom log 1".utf8)
        if companions.contains("changes"),
            (try? FileSystem.firstBytes(of: records, mark.count, followsLinks: false)) == mark
        {
            try? FileSystem.remove(records)
        }
    }

    /// The path at which a new file is created before it is renamed into place.
    var temporaryPath: String { FileSystem.companion(of: path, "new") }

    /// A crash while a new file was renamed into place may have left two names for it.
    private func removeSecondName() throws {
        let identity = try FileSystem.requireRegular(temporaryPath)?.identity
        guard let identity, try FileStatus.at(path)?.identity == identity else { return }
        try FileSystem.remove(temporaryPath)
    }
}
