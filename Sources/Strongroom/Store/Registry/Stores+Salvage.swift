extension Stores {
    /// Copies every row that can still be read from a damaged file into a new encrypted one, and reports what was lost.
    ///
    /// The damaged file is never written: what the engine needs to write goes to a copy beside the new file, encrypted
    /// in the same way and removed at the end; the disk needs about twice the file's size. The authentication codes of
    /// the pages tell which rows are intact; each row is copied with all of its values and its row id, or not at all.
    /// If an interior page of a table is damaged, every page of the file is examined, so that the rows below it are
    /// found nevertheless. Rows that may belong to several tables go to a table `lost_and_found` of the new file;
    /// deleted rows on unused pages are not copied. Tables come first, then indexes, views and triggers; indexes are
    /// built anew, so that a damaged index loses nothing. `user_version`, `application_id`, the encoding and
    /// `auto_vacuum` are kept. The new file has the current key of the chain and the newest cipher settings; with
    /// ``KeyProtection/envelope`` it gets an envelope when it is opened.
    ///
    /// The file must not be open, in this process or another.
    ///
    /// ```swift
    /// let report = try await stores.salvage("addressbook.sqlite", to: "/srv/rescue/addressbook.sqlite")
    /// for table in report.tables where !table.isComplete {
    ///     print(table.name, table.rowsCopied, table.rowsLost, table.lostRowIDs)
    /// }
    /// ```
    ///
    /// Foreign keys are not enforced while rows are copied, since the referenced rows may be lost: check the new file
    /// with ``Store/verify(checkingStructure:progress:)``.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its configuration provides the path and the keys.
    ///   - path: The path of the new file; a missing directory is created. The path must not exist.
    ///   - keepingUnattributed: Whether rows whose table cannot be determined are copied to a separate table, which
    ///     ``SalvageReport/lostAndFound`` names; otherwise they are counted and skipped.
    ///   - progress: Called after each table with `writing`, in tables, on one of the library's threads; must not
    ///     block.
    /// - Returns: What was copied and what was lost.
    /// - Throws: ``StrongroomError`` with `exists` if something is at the path, `fileMissing`, `alreadyOpen` if the
    ///   file is open in this process, `locked` if another process is writing to it, `wrongKey`, `plaintextFile`,
    ///   `plaintextHeader`, `damagedLog`, `damaged` if the first page or the schema is damaged, so that no table can be
    ///   found (the message says what can be done), `diskFull`, and what opening throws about names and configurations;
    ///   `CancellationError` if the task is cancelled. No new file is left then.
    public func salvage(
        _ fileName: String,
        to path: String,
        keepingUnattributed: Bool = true,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> SalvageReport {
        try await withClosedFile(fileName, isWriting: false) { context, chain in
            try await Self.salvage(context, chain, path, keepingUnattributed, progress)
        }
    }

    private static func salvage(
        _ context: StoreContext, _ chain: KeyChain, _ path: String, _ keepingUnattributed: Bool,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> SalvageReport {
        try await WorkMonitor.run(progress) { monitor in
            try FileSystem.createDirectories(FileSystem.directory(of: path))
            let target = try FileSystem.resolve(path)
            guard try FileStatus.at(target) == nil else {
                throw StrongroomError(
                    .exists, "\"\(target)\" already exists, and is not overwritten. Use another path.")
            }
            let content = try FileContent.of(context.path)
            try check(content, chain, context.file)
            let keys = try context.databaseKeys(chain, salt: content.salt)
            return try Salvage(keys, to: target, keepsUnattributed: keepingUnattributed, monitor).run()
        }
    }

    private static func check(_ content: FileContent, _ chain: KeyChain, _ file: DatabaseFile) throws {
        switch content {
        case .absent:
            throw StrongroomError(.fileMissing, "There is no file at \"\(file.path)\"; check the path.")
        case .plaintext:
            throw StrongroomError(
                .plaintextFile,
                """
                The file "\(file.path)" is a plaintext database, whose pages have no authentication codes: damaged \
                pages cannot be detected. Use the `.recover` command of the sqlite3 shell.
                """)
        case .encrypted where chain.isPlaintext:
            throw StrongroomError(
                .encryptedFile,
                """
                The file "\(file.path)" is no plaintext database, or its first bytes are damaged, and its \
                configuration gives no key. Give the key of the file; if it never had one, use the `.recover` command \
                of the sqlite3 shell.
                """
            )
        case .encrypted: break
        }
    }
}
