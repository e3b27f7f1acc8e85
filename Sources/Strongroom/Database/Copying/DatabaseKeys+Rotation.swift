import Foundation

/// Rotates a file and its envelope to the current key; the lock between processes is held.
extension DatabaseKeys {
    struct RotationOptions {
        /// Whether the file is rewritten, and an older key's slot replaced; if not, the copies of the envelope are only
        /// repaired.
        var isRotating = true
        /// As for ``renewEnvelope(isRotating:isThorough:newest:_:)``.
        let isThorough: Bool
        /// How long to wait for other processes when exclusive access is needed.
        let patience: Duration
        var monitor = WorkMonitor()
        /// Whether the rewritten file is opened again.
        var reopens = true
        /// Called when another file has replaced the one at the path, which is still open.
        let whenReplaced: @Sendable () throws -> Void
    }

    /// Rewrites the file with the key and the settings that it should have, unless it has them already, then rotates
    /// its envelope.
    ///
    /// - Parameters:
    ///   - unlocked: The file with the key that opens it, and the one that it has afterwards; its connection is closed
    ///     if the file is rewritten and not opened again.
    ///   - whenFailed: Called with a failure after which the file can be used with the key that it has; an error that
    ///     it throws ends the rotation.
    /// - Returns: What was done; nil if nothing was to be done. A rewrite of the file is reported in preference to one
    ///   of the envelope.
    mutating func rewriteAndRenew(
        _ unlocked: inout UnlockedFile, salt: [UInt8]?, _ options: RotationOptions,
        whenFailed: (StrongroomError) throws -> Void
    ) throws -> RotationReport? {
        var report: RotationReport?
        do {
            if options.isRotating, let (rewritten, derivedKey) = try rewrite(unlocked, salt: salt, options) {
                report = rewritten
                unlocked = UnlockedFile(
                    position: lastPosition, isWrapped: envelope != nil, derivedKey: derivedKey,
                    connection: unlocked.connection)
                if options.reopens { unlocked = try self.unlocked(with: derivedKey) }
            }
        } catch let error as StrongroomError {
            // A plaintext file is not used where an encrypted one is configured. An encrypted one is no less safe than
            // before and stays readable; its key is determined again, since the failure may have happened after the new
            // file had replaced it.
            guard let content = try? FileContent.of(file.path), case .encrypted = content else { throw error }
            try whenFailed(error)
            unlocked = try unlock(content)
        }
        do {
            // While the file has no data key, the slots are kept: a user who removed a key from the chain because its
            // slot is gone would lose access to the file.
            let renewed = try renewEnvelope(
                isRotating: options.isRotating && unlocked.isWrapped, isThorough: options.isThorough,
                newest: unlocked.isWrapped && unlocked.isCurrent ? unlocked.derivedKey : nil,
                unlocked.derivedKey?.settings ?? settings)
            report = report ?? renewed
        } catch let error as StrongroomError {
            try whenFailed(error)
        }
        return report
    }

    /// Rewrites the file; creates the required envelope first.
    ///
    /// - Parameter unlocked: Its connection is closed if there is something to do.
    /// - Returns: What was done, and the key that the file has now; nil if nothing was to be done.
    private mutating func rewrite(
        _ unlocked: UnlockedFile, salt: [UInt8]?, _ options: RotationOptions
    ) throws -> (report: RotationReport, derivedKey: DerivedKey)? {
        let from = unlocked.derivedKey
        let isPlaintext = from == nil && chain.current != nil
        if isPlaintext { try file.remember(.converting) }
        try makeEnvelope(salt: salt)
        guard let key = wantedKey, !unlocked.isCurrent || from?.settings != settings else { return nil }
        unlocked.connection.close()
        let start = ContinuousClock.now
        let salt = salt ?? key.salt ?? CipherSettings.randomSalt()
        let to = try unlocked.currentKey ?? DerivedKey(key, salt: salt, settings: settings)
        // The envelope may have the data key from an earlier attempt.
        let previous = try from.flatMap { try envelope?.dataKey(of: $0) }
        let newDataKey = envelope?.dataKeys.each.last.flatMap { $0 == previous ? nil : DataKeyRecord($0) }
        var report = try Rotation(
            file: file, from: from, to: to, patience: options.patience, monitor: options.monitor,
            whenReplaced: options.whenReplaced, positions: (from == nil ? nil : unlocked.position, lastPosition),
            newDataKey: newDataKey
        ).run()
        report.isOldContentGone = try report.isOldContentGone && !file.hasMigrationBackups()
        report.writingDuration = ContinuousClock.now - start - report.verificationDuration
        // If this fails, the next opening does it.
        if isPlaintext { try? file.remember(.encrypted) }
        return (report, to)
    }

    /// Rotates the envelope to the current key, removes a data key that the file no longer has, and repairs the copies.
    ///
    /// - Parameters:
    ///   - isRotating: Whether the slot of an older key is replaced by one of the current key; if not, only the copies
    ///     are repaired.
    ///   - isThorough: Whether all other slots of older keys of the chain are removed, too, as when the current one was
    ///     added earlier; finding them requires a derivation for each passphrase.
    ///   - newest: The key of the file's connections if the file has the newest data key; nil if it has another one.
    /// - Returns: What was done; nil if no slot had to be replaced.
    mutating func renewEnvelope(
        isRotating: Bool, isThorough: Bool, newest: DerivedKey?, _ settings: CipherSettings
    ) throws -> RotationReport? {
        guard let old = envelope else { return nil }
        let start = ContinuousClock.now
        var position = old.position
        var changed = old
        if isRotating {
            do {
                try putCurrentKeyIn(&changed)
                if isThorough { position = try revokeOlderKeys(&changed) ?? position }
                if let newest { try removeOldDataKey(&changed, newest) }
            } catch let error as StrongroomError where error.code == .keyProvider {
                // A damaged copy does not wait for the provider.
                if !old.isIntact { try write(old) }
                throw error
            }
        }
        guard changed.sealed != old.sealed || !old.isIntact else { return nil }
        let isReplaced = isRotating && position != lastPosition
        if isReplaced { changed.position = lastPosition }
        try write(changed)
        guard isReplaced else { return nil }
        return RotationReport(
            method: .envelope, from: position, to: lastPosition, previousSettings: settings, settings: settings,
            bytes: Int64(changed.bytes.count), writingDuration: ContinuousClock.now - start)
    }

    /// Replaces the key that opened the envelope by the current key. A recovery key keeps its slot, because it is kept
    /// for another occasion.
    private func putCurrentKeyIn(_ envelope: inout OpenEnvelope) throws {
        guard envelope.position != lastPosition, let key = chain.current, let used = envelope.usedSlot else { return }
        let isRecovery = envelope.keySlots.contains { $0.fingerprint == used && $0.isRecovery }
        if !isRecovery {
            try envelope.replace(used, with: key, label: key.slotLabel, date: .now)
        } else if try envelope.slotOpened(by: key) == nil {
            try envelope.add(key, label: key.slotLabel, date: .now)
        }
    }

    /// Removes the slots of older keys of the chain. A recovery key in the chain keeps its slot, and so does the pair
    /// of a public key, which is in the chain for that.
    ///
    /// - Returns: The position of the newest of them; nil if there was none.
    private func revokeOlderKeys(_ envelope: inout OpenEnvelope) throws -> Int? {
        var newest: Int?
        for (position, key) in chain.keys.enumerated().dropLast() where key != .plaintext && !key.isPublicKey {
            guard let slot = try envelope.slot(of: key), !slot.isRecovery else { continue }
            if let current = try chain.current.flatMap({ try envelope.slot(of: $0) }), current.isRecovery {
                throw recoveryOnly(current)
            }
            try envelope.revoke(slot.fingerprint)
            newest = position
        }
        return newest
    }

    private func recoveryOnly(_ current: KeySlot) -> StrongroomError {
        StrongroomError(
            .keySlot,
            """
            The last key of the chain has a slot for recovery, \(current.summary), which does not replace the slots of \
            other keys. Put it before the key that is to be the current one; or revoke the slot and add the key, so \
            that it gets another one, then rotate again. No slot was changed.
            """,
            database: file.name)
    }

    /// Removes all data keys but the newest. If a slot's key is not available, both are kept, which does no harm; the
    /// slot would be lost otherwise.
    ///
    /// - Parameter key: The newest data key as the file's connections are keyed with it; it is known to open the file.
    private func removeOldDataKey(_ envelope: inout OpenEnvelope, _ key: DerivedKey) throws {
        guard envelope.dataKeys.count > 1, let newest = envelope.dataKeys.each.last else { return }
        guard try slotsOutOfReach(&envelope).isEmpty, try isOnDisk(key) else { return }
        do {
            _ = try envelope.rewrap(newest, keys: chain.keys + otherKeys)
        } catch let error as StrongroomError where error.code == .keyProvider {
            // The slot's provider is away.
        }
    }

    /// Synchronizes the last commits to disk: the process that rekeyed the file may have been killed before that, and a
    /// power failure would restore the old key.
    private func isOnDisk(_ key: DerivedKey) throws -> Bool {
        let connection = try file.connect(.existing, key: key)
        defer { connection.close() }
        try connection.proveKey()
        try connection.run("PRAGMA synchronous = FULL")
        guard connection.checkpointAfterCommit().isComplete else { return false }
        try FileSystem.synchronize(FileSystem.directory(of: file.path))
        return true
    }

    /// The slots whose keys are not available.
    private func slotsOutOfReach(_ envelope: inout OpenEnvelope) throws -> [KeySlot] {
        var held: Set<KeyFingerprint> = []
        for key in chain.keys + otherKeys {
            if let slot = try envelope.slot(of: key) { held.insert(slot.fingerprint) }
        }
        return envelope.keySlots.filter { !held.contains($0.fingerprint) }
    }

    /// Adds a new data key for the file; until the file has it, the envelope contains both. A file that is not on the
    /// newest data key yet gets that one: another would lose the data key of the file.
    ///
    /// - Parameter unlocked: The file, which is to be rewritten then.
    mutating func addDataKey(for unlocked: inout UnlockedFile) throws {
        guard unlocked.isWrapped, unlocked.isCurrent else { return }
        guard var changed = envelope else { throw envelopeFile.missing }
        let lost = try slotsOutOfReach(&changed)
        guard lost.isEmpty else {
            throw StrongroomError(
                .keySlot,
                """
                A new data key has to be wrapped for every slot, and the keys of these slots are not available: \
                \(lost.map(\.summary).joined(separator: ", ")). Give them, of a public key only that, or revoke them \
                first and add them again later. Nothing was changed.
                """,
                database: file.name)
        }
        // The older of two data keys is left out.
        if changed.dataKeys.count > 1, let key = unlocked.derivedKey, try !isOnDisk(key) {
            throw file.heldByOthers(for: "given another data key")
        }
        _ = try changed.rewrap(changed.dataKeys.withSuccessor(), keys: chain.keys + otherKeys)
        try write(changed)
        unlocked.isCurrent = false
        unlocked.currentKey = nil
    }
}

extension DatabaseFile {
    /// Removes files that killed processes have left beside the database, which is being opened: the lock between
    /// processes is held.
    ///
    /// - Parameters:
    ///   - sideFiles: Those that exist, see ``requireOwnSideFiles()``. Nothing else is left: a copy's journal and WAL
    ///     are created after the copy and removed before it.
    ///   - exists: Whether the database file exists.
    func removeLeftovers(_ sideFiles: Set<String>, exists: Bool) throws {
        // Nearly always.
        guard !sideFiles.isEmpty else { return }
        if exists {
            try removeSecondName()
            try Rotation.removeLeftovers(of: path)
        }
        for ending in SideFiles.leftovers where sideFiles.contains(ending) {
            let leftover = FileSystem.hiddenFile(of: path, ending)
            switch ending {
            case "keys.new", "keys.copy.new": try FileSystem.remove(leftover)
            // Of another user, such as an operator who salvaged: what cannot be read or removed does no harm.
            case "log.new", "salvaged": try? FileSystem.removeCopy(leftover)
            default: try FileSystem.removeCopy(leftover)
            }
        }
        // What this user cannot lock or remove does no harm.
        if !sideFiles.isDisjoint(with: ["trial", "trial.lock"]) { try? removeTrial() }
        // Records of commits, which 0.2.0 wrote; those that this user cannot read or remove do no harm.
        let records = FileSystem.hiddenFile(of: path, "changes")
        let mark = Array("strongroom log 1".utf8)
        if sideFiles.contains("changes"),
            (try? FileSystem.firstBytes(of: records, mark.count, followsLinks: false)) == mark
        {
            try? FileSystem.remove(records)
        }
    }

    /// The path at which a new file is created before it is renamed.
    var temporaryPath: String { FileSystem.hiddenFile(of: path, "new") }

    /// Removes the copy of a killed dry run; a running one holds the lock.
    private func removeTrial() throws {
        let lockPath = FileSystem.hiddenFile(of: path, "trial.lock")
        guard let lock = try FileLock.tryAcquire(lockPath, of: path) else { return }
        try FileSystem.removeCopy(FileSystem.hiddenFile(of: path, "trial"))
        lock.remove(lockPath)
    }

    /// A crash while a new file was renamed may have left two names for it.
    private func removeSecondName() throws {
        let identity = try FileSystem.requireRegular(temporaryPath)?.identity
        guard let identity, try FileStatus.at(path)?.identity == identity else { return }
        try FileSystem.remove(temporaryPath)
    }
}
