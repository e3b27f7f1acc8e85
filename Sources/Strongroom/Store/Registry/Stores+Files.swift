extension Stores {
    /// Whether a database's file exists; nothing is opened.
    ///
    /// ```swift
    /// if try !stores.exists("addressbook_alice.sqlite") { showWelcome() }
    /// ```
    ///
    /// - Parameter fileName: The database's name; its configuration provides the path.
    /// - Returns: Whether anything exists at the path, be it a database or not.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`,
    ///   `permissionDenied` if its directory cannot be searched; what the configuration throws.
    public func exists(_ fileName: String) throws -> Bool {
        let name = try DatabaseName(fileName)
        return try FileStatus.at(configuration(of: name).checkedPath(for: name)) != nil
    }

    /// Removes a database with all files that belong to it: its WAL and journals, damaged WALs that recoveries have
    /// kept, its envelope, its migration backups, its lock file.
    ///
    /// Without the envelope, and without a copy of the file, the data cannot be recovered. The removed files are not
    /// overwritten: their content is encrypted, or was plaintext anyway.
    ///
    /// A lent store that is idle is closed first. Requests for it that come meanwhile wait, and would create the file
    /// again: refuse those of a tenant before its database is removed.
    ///
    /// ```swift
    /// try await stores.remove("addressbook_alice.sqlite")
    /// ```
    ///
    /// - Parameter fileName: The database's name; its configuration provides the path.
    /// - Returns: Whether the file existed. Leftovers of an interrupted removal are removed in any case.
    /// - Throws: ``StrongroomError`` with `alreadyOpen` if it is open in this process: close it first, or end the uses
    ///   of a lent one; `locked` naming the processes that have it open, where the system reports them (Linux does), or
    ///   if another process is opening it; `readOnly` if its settings open it read-only; `notAFile` for a directory,
    ///   `permissionDenied`, `invalidName`, `noConfiguration`, `duplicateConfiguration`; what the configuration throws;
    ///   `CancellationError` while an idle store is being closed. Nothing is removed then.
    @discardableResult
    public func remove(_ fileName: String) async throws -> Bool {
        let name = try DatabaseName(fileName)
        return try await whileClosed(name, label: "removing") { try await remove(name) }
    }

    private func remove(_ name: DatabaseName) async throws -> Bool {
        let configuration = try configuration(of: name)
        guard !configuration.settings(for: name).isReadOnly else { throw StrongroomError.readOnlyStore(name.fileName) }
        let configured = try configuration.checkedPath(for: name)
        let directory = FileSystem.directory(of: configured)
        guard try FileStatus.at(directory) != nil else { return false }
        let path = try FileSystem.resolve(configured)
        do {
            try OpenFiles.shared.claim(path, name)
            defer { OpenFiles.shared.release(path) }
            let file = DatabaseFile(path: path, name: name.fileName, busyTimeout: 0, log: nil)
            guard let lock = try await FileLock.acquire(file.lockPath, of: path) else {
                throw file.inUse("Another process is opening it")
            }
            let wasThere = try await BlockingWork.run { try file.removeWithSideFiles() }
            lock.release()
            return wasThere
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }
}

extension DatabaseFile {
    /// Removes the file, which is not open in this process, and what belongs to it; the caller holds the lock between
    /// processes.
    ///
    /// - Returns: Whether there was a file.
    fileprivate func removeWithSideFiles() throws -> Bool {
        let status = try FileStatus.at(path)
        guard status?.isRegularFile ?? true else {
            throw StrongroomError(.notAFile, "\"\(path)\" is not a regular file, and was not removed.")
        }
        let holders = try FileHolders.lasting { try FileHolders.using(path) }
        guard holders.isEmpty else { throw inUse("It is open in \(FileHolders.describe(holders))") }
        try requireOwnSideFiles()
        let removed = try ReplacedFile.at(path)
        guard try removed?.lock() ?? true else { throw inUse("Another program has it locked") }
        // The file first: the remaining files alone cannot be taken for a database, whereas the file without its WAL
        // might be an older state.
        try FileSystem.remove(path)
        try removeSideFiles()
        for backup in try migrationBackups() { try remove(backup) }
        try FileSystem.remove(lockPath)
        try FileSystem.synchronize(FileSystem.directory(of: path))
        // A program that opened it at the last moment would attach to the WAL of a new database of the same name.
        try removed?.invalidate()
        try removed?.retire()
        return status != nil
    }

    fileprivate func inUse(_ reason: String) -> StrongroomError {
        StrongroomError(.locked, "\(reason), so \"\(path)\" was not removed. Close it there, then try again.")
    }
}

extension Stores {
    /// Says that a database was renamed: its file, which was moved or copied to the path of its new name, is accepted
    /// under it from now on.
    ///
    /// Each file whose schema a migrator maintains records the name of its database. Opening it under another name
    /// throws `otherDatabase`: with one key chain for all databases of a family, an exchanged file would be read as
    /// that of another tenant. Move a database while it is closed, with the files beside it: `-wal`, `.keys` and
    /// `.keys.copy`.
    ///
    /// ```swift
    /// try await stores.adopt("addressbook_beth.sqlite", from: "addressbook_alice.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name, whose configuration gives the path and the keys of the file. Its store must
    ///     not be in use.
    ///   - previousName: The name that is recorded in the file. A file that records none, or the database's own name,
    ///     is accepted as well.
    /// - Throws: ``StrongroomError`` with `otherDatabase` if the file records a third name, `notDeclared` without a
    ///   migrator, `fileMissing`, `alreadyOpen`, `locked`, `busy`, `readOnly`; what opening throws about names,
    ///   configurations, keys and damage. The file is unchanged then.
    public func adopt(_ fileName: String, from previousName: String) async throws {
        let previous = try DatabaseName(previousName)
        try await replacingFile(fileName) { context, chain in
            try await BlockingWork.run { try context.adopt(from: previous, chain) }
        }
    }
}

extension StoreContext {
    fileprivate func adopt(from previous: DatabaseName, _ chain: KeyChain) throws {
        guard migrator != nil else {
            throw StrongroomError(
                .notDeclared,
                """
                The configuration of "\(name)" has no migrator, so the name that its file records is not compared. \
                Nothing was changed.
                """,
                database: name.fileName)
        }
        let (_, unlocked) = try unlock(FileContent.of(path), chain)
        // It cannot write if a killed process has left a WAL.
        unlocked.connection.close()
        let connection = try file.connect(.existing, key: unlocked.derivedKey)
        defer { connection.close() }
        try connection.proveKey()
        if let recorded = try connection.recordedName() {
            if recorded == name.fileName { return }
            guard recorded == previous.fileName else { throw ofOther(recorded) }
        }
        try connection.recordName(name.fileName)
    }
}

extension Stores {
    /// Runs work on a database's file that is not open in this process, with the lock between processes held.
    ///
    /// - Parameter isWriting: Whether the work changes the file; it is refused then for a file that is opened
    ///   read-only. Otherwise nothing is created beside the file, and its lock is acquired only if the lock file exists
    ///   and may be written.
    /// - Throws: ``StrongroomError`` with `readOnly`, `alreadyOpen` if the file is open in this process, `locked`; the
    ///   errors of its name, its configuration and its keys; what the work throws.
    func withClosedFile<T>(
        _ name: DatabaseName, isWriting: Bool = true, _ work: (StoreContext, KeyChain) async throws -> T
    ) async throws -> T {
        let configuration = try configuration(of: name)
        do {
            var configured = try StoreContext(name, configuration, in: .disk)
            configured.keyEvents = KeyEvents(name, resources.observers.withLock { $0 })
            defer { configured.keyEvents?.deliver() }
            if !isWriting { configured.file.isReadOnly = true }
            let context = try configured.located()
            try OpenFiles.shared.claim(context.path, name)
            defer { OpenFiles.shared.release(context.path) }
            guard !isWriting || !configured.isReadOnly else { throw StrongroomError.readOnlyStore(name.fileName) }
            return try await withLock(of: context) { try await work(context.withBaseline(), context.keyChain()) }
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }

    /// Runs work that replaces a database's file, as ``withClosedFile(_:isWriting:_:)``; a lent store that is idle is
    /// closed first.
    func replacingFile<T>(
        _ fileName: String, _ work: (StoreContext, KeyChain) async throws -> T
    ) async throws -> T {
        let name = try DatabaseName(fileName)
        return try await whileClosed(name, label: "restoring") {
            try await withClosedFile(name, work)
        }
    }

    /// Runs work with the lock between processes held. A lock file that was created for work that has failed is removed
    /// again: such work changes nothing.
    private func withLock<T>(of context: StoreContext, _ work: () async throws -> T) async throws -> T {
        let file = context.file
        let isNew = try FileStatus.ofName(file.lockPath) == nil
        let lock = try await file.lockToOpen(within: context.settings.openTimeout)
        do {
            let result = try await work()
            lock?.release()
            return result
        } catch {
            // With content it has been used: a database remembers there that it is encrypted.
            if isNew, let size = try? FileStatus.ofName(file.lockPath)?.size, size == 0 {
                try? FileSystem.remove(file.lockPath)
            }
            lock?.release()
            throw error
        }
    }
}
