import Logging

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
        defer { replaceKey(keys.activeKey(of: unlocked)) }
        defer { unlocked.connection.close() }
        if otherKeys != nil { try prepareDataKey(&keys, &unlocked) }
        let options = DatabaseKeys.RotationOptions(
            isThorough: true, patience: context.settings.openTimeout, monitor: monitor,
            whenReplaced: { try OpenFiles.shared.identify(context.path) })
        let done = try keys.rewriteAndRenew(&unlocked, salt: content.salt, options, whenFailed: { throw $0 })
        guard let report = done else {
            let size = try FileStatus.at(context.path)?.size ?? 0
            return RotationReport(unchanged: keys.lastPosition, keys.settings, bytes: size)
        }
        context.logger?.info("rotated", metadata: ["method": "\(report.method)"])
        return report
    }

    /// Prepares a new data key to rewrite the file with. If the file is not on the newest one yet, the envelope already
    /// has a new one, and replacing it would lose the data key of the file.
    private func prepareDataKey(_ keys: inout DatabaseKeys, _ unlocked: inout UnlockedFile) throws {
        guard keys.envelope != nil || keys.isEnvelopeWanted else { throw try noEnvelope() }
        guard unlocked.isWrapped, unlocked.isCurrent else { return }
        try keys.addDataKey()
        unlocked.isCurrent = false
        unlocked.currentKey = nil
    }

    /// Replaces the older key in the envelope with the current one; the caller holds the lock between processes.
    func rotateEnvelope(_ chain: KeyChain) throws -> RotationReport {
        let context = try context()
        guard let known = try activeKey().wrapped else { throw try noEnvelope() }
        var keys = try context.databaseKeys(chain, salt: known.salt)
        guard let found = keys.envelope else { throw keys.envelopeFile.missing }
        // Another process may be rewriting the file with a newer one.
        let newest = found.dataKeys == known.dataKeys ? try activeKey().derivedKey : nil
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
            method: .unchanged,
            from: position,
            to: position,
            formerSettings: settings,
            settings: settings,
            bytes: bytes,
            isOldContentGone: true,
            writingDuration: .zero,
            verificationDuration: .zero
        )
    }
}
