import Logging

extension StoreFile {
    /// Brings the file, and its envelope, to the current key and settings; nobody in this process has a connection to
    /// the file meanwhile, and the lock between processes is held.
    ///
    /// - Parameter otherKeys: The keys besides the chain's for which a new data key is wrapped; nil when the data key
    ///   is to stay.
    func rotate(
        _ chain: KeyChain, newDataKey otherKeys: [Key]?, _ monitor: WorkMonitor
    ) throws -> RotationReport {
        let opening = try opening()
        let content = try FileContent.of(opening.path)
        var keys = try opening.fileKeys(chain, salt: content.salt)
        keys.otherKeys = otherKeys ?? []
        var choice = try choice(keys, content, opening)
        // Adopted also when it throws: the envelope may have a new data key by then, and the file not yet.
        defer { replaceKey(keys.key(choice)) }
        let done = try withExtendedLifetime(choice.connection) { connection in
            defer { connection.close() }
            if otherKeys != nil { try prepareDataKey(&keys, &choice) }
            return try keys.rewrite(
                choice, salt: content.salt, patience: opening.settings.openTimeout, monitor: monitor,
                whenReplaced: { try OpenFiles.shared.identify(opening.path) })
        }
        if let done {
            choice = KeyChoice(
                place: keys.lastPlace, isWrapped: keys.envelope != nil, derived: done.key,
                connection: choice.connection)
        }
        let renewed = try keys.renewEnvelope(isRotating: true, isThorough: true, choice)
        guard let report = done?.report ?? renewed else {
            let size = try FileStatus.at(opening.path)?.size ?? 0
            return RotationReport(unchanged: keys.lastPlace, keys.settings, bytes: size)
        }
        opening.logger?.info("rotated", metadata: ["method": "\(report.method)"])
        return report
    }

    private func choice(_ keys: FileKeys, _ content: FileContent, _ opening: StoreOpening) throws -> KeyChoice {
        switch content {
        case .absent:
            throw StrongroomError(
                .fileMissing, "The file \"\(opening.path)\" is gone. Bring it back, then try again.",
                database: opening.file.name)
        case .plaintext(let size):
            guard keys.chain.opensPlaintext else { throw opening.plaintextFound() }
            return try KeyChoice.plaintext(opening.file, in: keys.chain, size: size)
        case .encrypted(let salt, let size):
            return try keys.find(salt: salt, size: size)
        }
    }

    /// Lets the file be rewritten with a new data key. A file that is not on the newest one yet has a new one in its
    /// envelope already, and to forget the one that it is on would lose it.
    private func prepareDataKey(_ keys: inout FileKeys, _ choice: inout KeyChoice) throws {
        guard keys.envelope != nil || keys.isEnvelopeWanted else { throw try noEnvelope() }
        guard choice.isWrapped, choice.isCurrent else { return }
        try keys.addDataKey()
        choice.isCurrent = false
        choice.current = nil
    }

    /// Puts the current key in the place of the older one in the envelope; the lock between processes is held.
    func rotateEnvelope(_ chain: KeyChain) throws -> RotationReport {
        let opening = try opening()
        guard let known = try key().envelope else { throw try noEnvelope() }
        var keys = try opening.fileKeys(chain, salt: known.salt)
        guard let found = keys.envelope?.envelope else { throw keys.sidecar.missing }
        // Another process may be about to bring the file to a newer one.
        let newest = found.dataKeys == known.dataKeys ? try key().derived : nil
        let report = try keys.renewEnvelope(isRotating: true, isThorough: true, newest: newest, keys.settings)
        if let report { opening.logger?.info("rotated", metadata: ["method": "\(report.method)"]) }
        let bytes = Int64(found.envelope.bytes.count)
        return report ?? RotationReport(unchanged: keys.lastPlace, keys.settings, bytes: bytes)
    }
}

extension RotationReport {
    /// The report of a rotation that found nothing to do.
    fileprivate init(unchanged place: Int, _ settings: CipherSettings, bytes: Int64) {
        self.init(
            method: .unchanged,
            from: place,
            to: place,
            formerSettings: settings,
            settings: settings,
            bytes: bytes,
            isOldContentGone: true,
            writingDuration: .zero,
            verificationDuration: .zero
        )
    }
}
