/// The steps that unlock the file.
extension StoreOpening {
    func keyChain() async throws -> KeyChain {
        guard !context.isInMemory else { return .plaintext }
        do {
            return try await context.keyChain()
        } catch let error as StrongroomError {
            throw error.diagnosed(context.file, isOfFile: false)
        }
    }

    /// Finds the key that opens the file, or creates the file.
    func unlock(
        _ content: FileContent, _ chain: KeyChain, _ report: inout OpenReport
    ) throws -> (DatabaseKeys, UnlockedFile) {
        let start = ContinuousClock.now
        defer { report.keyDuration = ContinuousClock.now - start - report.migrationDuration }
        return try content == .absent ? create(chain, &report) : context.unlock(content, chain)
    }

    /// The connection that is the store's writer, or its only one, configured for that.
    func configuredConnection(_ unlocked: UnlockedFile) throws -> Connection {
        guard !context.isInMemory else { return unlocked.connection }
        guard !context.isReadOnly else {
            try unlocked.connection.configure(as: .reader, of: context.file)
            return unlocked.connection
        }
        let writer =
            unlocked.connection.isReadOnly
            ? try context.file.connect(.existing, key: unlocked.derivedKey) : unlocked.connection
        guard !writer.hasMoved else { throw movedMeanwhile }
        try writer.configure(as: .writer, of: context.file)
        try context.file.removeSpentJournal()
        return writer
    }

    private var movedMeanwhile: StrongroomError {
        StrongroomError(
            .fileChanged,
            """
            Another program replaced "\(context.path)" while it was opened. Nothing was written; open it again.
            """,
            database: context.name.fileName
        )
    }
}
