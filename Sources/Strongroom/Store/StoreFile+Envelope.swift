/// The envelope of an open store, which is read each time: another process may have changed it.
extension StoreFile {
    /// Opens the envelope with the known data keys or, if another process has replaced them, with the chain.
    func openEnvelope() throws -> OpenEnvelope {
        let envelopeFile = try envelopeFile()
        guard let known = try activeKey().wrapped else {
            guard try envelopeFile.exists() else { throw try noEnvelope() }
            // Another process may have rewritten the file with another data key meanwhile.
            guard try renew(after: generation), let known = try activeKey().wrapped else { throw try notWrappedYet() }
            return try envelopeFile.open(with: known.dataKeys, salt: known.salt)
        }
        do {
            return try envelopeFile.open(with: known.dataKeys, salt: known.salt)
        } catch let error as StrongroomError where error.code == .wrongKey {
            let context = try context()
            let chain = try BlockingWork.wait { try await context.keyChain() }
            return try envelopeFile.open(with: chain, salt: context.file.salt())
        }
    }

    private func envelopeFile() throws -> EnvelopeFile {
        let file = try context().file
        return EnvelopeFile(databasePath: file.path, name: file.name)
    }

    /// Changes the envelope and writes it; the caller holds the lock between processes.
    ///
    /// - Returns: What the change returns; nothing is written if it throws.
    func changeEnvelope<T>(_ change: (inout OpenEnvelope) throws -> T) throws -> T {
        var envelope = try openEnvelope()
        let result = try change(&envelope)
        try envelopeFile().replace(envelope)
        return result
    }

    /// The envelope for a copy with the key of the file's pages.
    func envelopeOfCopy(with key: DerivedKey) throws -> OpenEnvelope {
        let envelope = try openEnvelope()
        guard try envelope.contains(key) else {
            throw StrongroomError(
                .busy,
                """
                Another process has replaced the data key of "\(try context().path)" meanwhile. Try again; nothing was \
                changed.
                """,
                database: try context().file.name)
        }
        return envelope
    }

    /// The error for a file that is not encrypted with a data key although it has an envelope: the slots do not apply
    /// to it yet.
    private func notWrappedYet() throws -> StrongroomError {
        StrongroomError(
            .keySlot,
            """
            "\(try context().path)" has an envelope, but is not encrypted with the data key in it yet: rewriting it \
            has failed or was interrupted, as the report of its opening says. Call `rotate()`, then try again; nothing \
            was changed.
            """,
            database: try context().file.name
        )
    }

    /// The error for an operation that needs an envelope.
    func noEnvelope() throws -> StrongroomError {
        StrongroomError(
            .notDeclared,
            """
            "\(try context().path)" has no envelope: its keys encrypt the file themselves. Let the configuration give \
            `KeyProtection.envelope`, then rotate.
            """,
            database: try context().file.name
        )
    }
}
