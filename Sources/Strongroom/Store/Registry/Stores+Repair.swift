extension Stores {
    /// Diagnoses a database's file without writing: whether it exists, which key of its chain and which settings open
    /// it, whether its pages are intact, whether its schema is known, and which processes have it open.
    ///
    /// The file is not rotated, migrated, checkpointed or locked, so it may be open in this and other processes.
    /// Concurrent writes may or may not be seen. Every page is read; a passphrase costs one derivation for each key and
    /// setting that is tried.
    ///
    /// ```swift
    /// print(try await stores.diagnose("addressbook_alice.sqlite"))
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its configuration provides its keys, settings and migrations.
    ///   - path: The path of another file to diagnose with these, such as a backup; nil for the configured one.
    ///   - progress: Called repeatedly with `checking`, in pages, on one of the library's threads; must not block.
    /// - Returns: The diagnosis. What is wrong with the file is part of it, not thrown.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `invalidSetting`,
    ///   `inputOutput`; what the configuration throws; `CancellationError` if the task is cancelled, which stops the
    ///   diagnosis soon.
    public func diagnose(
        _ fileName: String,
        at path: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> FileDiagnosis {
        let name = try DatabaseName(fileName)
        let configuration = try configuration(of: name)
        let ciphers = try configuration.checkedCiphers(for: name)
        let keys = FileExamination.Keys(
            chain: try await configuration.keyChain(for: name), ciphers: ciphers,
            protection: configuration.keyProtection(for: name), migrator: try configuration.migrator(for: name))
        return try await Self.examine(
            path ?? configuration.checkedPath(for: name), keys, name: name.fileName, progress)
    }

    /// Diagnoses a file without a configuration; as ``diagnose(_:at:progress:)``.
    ///
    /// ```swift
    /// let keys = try KeyChain(.passphrase(secret))
    /// let diagnosis = try await Stores.diagnose(path: "/srv/backup/unknown.sqlite", keys: keys)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - keys: Keys to try, oldest first; nil for none, which limits the diagnosis to what needs no key.
    ///   - settings: Cipher settings to try, oldest first; nil for those of SQLCipher 3 and of the linked engine.
    ///   - progress: Called repeatedly with `checking`, in pages, on one of the library's threads; must not block.
    /// - Returns: The diagnosis.
    /// - Throws: ``StrongroomError`` with `invalidSetting` or `inputOutput`; `CancellationError` if the task is
    ///   cancelled.
    public static func diagnose(
        path: String,
        keys: KeyChain? = nil,
        settings: [CipherSettings]? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> FileDiagnosis {
        let ciphers = try settings ?? CipherSettings.known()
        let name = FileSystem.name(of: path)
        for cipher in ciphers {
            guard let defect = try cipher.defect() else { continue }
            throw StrongroomError(.invalidSetting, "The cipher settings cannot be used: \(defect).", database: name)
        }
        let known = keys.map { FileExamination.Keys(chain: $0, ciphers: ciphers, protection: .direct, migrator: nil) }
        return try await examine(path, known, name: name, progress)
    }

    private static func examine(
        _ path: String, _ keys: FileExamination.Keys?, name: String,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> FileDiagnosis {
        // The files that belong to it are beside the file, not beside a link to it.
        let path = (try? FileSystem.resolve(path)) ?? path
        let file = DatabaseFile(path: path, name: name, busyTimeout: 0, log: nil)
        return try await WorkMonitor.run(progress) { monitor in
            try FileExamination(file: file, monitor: monitor).run(keys)
        }
    }
}

extension StrongroomError {
    /// This error of an opening, with what is known of the file.
    ///
    /// - Parameters:
    ///   - key: The index in the chain of the key that opens it; nil if none does, or if it is plaintext.
    ///   - count: The number of keys in the chain.
    ///   - settings: How the file is encrypted.
    ///   - isOfFile: Whether the file caused the error, rather than its configuration.
    func diagnosed(
        _ file: DatabaseFile, key: Int? = nil, of count: Int = 0, _ settings: CipherSettings? = nil,
        isOfFile: Bool = true
    ) -> StrongroomError {
        guard finding == nil else { return self }
        var diagnosis = FileDiagnosis(of: file, after: self, isOfFile: isOfFile)
        diagnosis.key = key.map { KeyUse(position: $0, count: count) }
        diagnosis.settings = settings
        var copy = self
        copy.finding = diagnosis
        return copy
    }
}

extension Stores {
    /// Truncates a damaged write-ahead log before the damage, so that the database opens again. Later transactions are
    /// lost.
    ///
    /// A WAL is damaged if bytes of it have changed on the disk: SQLCipher then reads it only up to the damage, and
    /// every transaction committed later would be lost silently. Opening therefore throws `damagedLog`, and nothing is
    /// changed until this is called, or the WAL and the file are restored from a backup. The WAL is truncated after its
    /// last transaction before the damage; the damaged one is kept beside it, as `NAME-wal.damaged`.
    ///
    /// ```swift
    /// let found = try await stores.recoverLog("addressbook.sqlite", dryRun: true)
    /// print(found)                // damaged at frame 12: 11 transactions before it, 3 from there on
    /// let recovery = try await stores.recoverLog("addressbook.sqlite")
    /// print(recovery.damagedLog)  // Optional("/srv/data/addressbook.sqlite-wal.damaged")
    /// ```
    ///
    /// The file must not be open, in this process or another.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its configuration provides the path.
    ///   - dryRun: Whether to report only, without changing anything, as also for a file on a read-only file system.
    /// - Returns: What was found, and what was done. An undamaged WAL is left unchanged.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `alreadyOpen` if the file is open in this process, `locked` if
    ///   another process has it open, `readOnly` if its configuration opens it read-only and something is to
    ///   be changed, `permissionDenied`, `diskFull`, and what opening throws about names and configurations.
    public func recoverLog(_ fileName: String, dryRun: Bool = false) async throws -> LogRecovery {
        try await withClosedFile(DatabaseName(fileName), isWriting: !dryRun) { context, _ in
            guard try FileStatus.at(context.path) != nil else {
                throw StrongroomError(.fileMissing, "There is no file at \"\(context.path)\"; check the path.")
            }
            return try await BlockingWork.run { try context.file.recoverLog(dryRun: dryRun) }
        }
    }
}

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
    ///   file is open in this process, `locked` if another process is writing to it or to the new one, `wrongKey`,
    ///   `plaintextFile`, `plaintextHeader`, `damagedLog`, `damaged` if the first page or the schema is damaged, so
    ///   that no table can be found (the message says what can be done), `diskFull`, and what opening throws about
    ///   names and configurations; `CancellationError` if the task is cancelled. No new file is left then.
    public func salvage(
        _ fileName: String,
        to path: String,
        keepingUnattributed: Bool = true,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> SalvageReport {
        try await withClosedFile(DatabaseName(fileName), isWriting: false) { context, chain in
            let target = try await BlockingWork.run {
                let target = try CopyTarget(path, replaces: false)
                try target.requireNothing()
                return target
            }
            return try await target.acquireLock().removed(SideFiles(of: target.path).lock) {
                try await WorkMonitor.run(progress) { monitor in
                    // The lock's previous holder may have created it.
                    try target.requireNothing()
                    let content = try FileContent.of(context.path)
                    try Self.check(content, chain, context.file)
                    let keys = try context.databaseKeys(chain, salt: content.salt)
                    return try Salvage(keys, to: target.path, keepsUnattributed: keepingUnattributed, monitor).run()
                }
            }
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
