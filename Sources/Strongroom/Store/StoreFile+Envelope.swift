/// The envelope of an open store, which is read anew each time: another process may have changed it.
extension StoreFile {
    /// Opens the envelope with the data keys that are known, or, when another process has replaced them, with the
    /// chain.
    func openEnvelope() throws -> (file: EnvelopeFile, opened: EnvelopeFile.Opened) {
        let opening = try opening()
        let sidecar = EnvelopeFile(databasePath: opening.path, name: opening.file.name)
        guard let known = try key().envelope else {
            guard try sidecar.exists() else { throw try noEnvelope() }
            // Another process may have brought the file to a data key meanwhile.
            guard try renew(after: generation), let known = try key().envelope else { throw try notWrappedYet() }
            return (sidecar, try sidecar.open(with: known.dataKeys, salt: known.salt))
        }
        do {
            return (sidecar, try sidecar.open(with: known.dataKeys, salt: known.salt))
        } catch let error as StrongroomError where error.code == .wrongKey {
            return (sidecar, try openEnvelope(sidecar, opening))
        }
    }

    private func openEnvelope(_ sidecar: EnvelopeFile, _ opening: StoreOpening) throws -> EnvelopeFile.Opened {
        let chain = try BlockingWork.wait { try await opening.configuration.keyChain(for: opening.name) }
        return try sidecar.open(with: chain, salt: opening.file.salt())
    }

    /// Changes the envelope and writes it; the lock between processes is held.
    ///
    /// - Returns: What the change returns; nothing is written when it throws.
    func changeEnvelope<T>(_ change: (inout OpenEnvelope) throws -> T) throws -> T {
        let (sidecar, opened) = try openEnvelope()
        var envelope = opened.envelope
        let result = try change(&envelope)
        try sidecar.replace(envelope)
        return result
    }

    /// The error for a file that is not on a data key although there is one: what its slots say does not count for it
    /// yet.
    private func notWrappedYet() throws -> StrongroomError {
        StrongroomError(
            .keySlot,
            """
            "\(try opening().path)" has an envelope, but is not encrypted with the data key in it yet: rewriting it \
            has failed or was interrupted, as the report of its opening says. Call `rotate()`, then try again; nothing \
            was changed.
            """,
            database: try opening().file.name
        )
    }

    /// The error for what only a file with an envelope has.
    func noEnvelope() throws -> StrongroomError {
        StrongroomError(
            .envelopeMissing,
            """
            "\(try opening().path)" has no envelope: its keys encrypt the file themselves. Let the configuration give \
            `KeyProtection.envelope`, then rotate.
            """,
            database: try opening().file.name
        )
    }
}
