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

    /// Removes a database with all files that belong to it: its WAL and journals, its envelope, its migration backups,
    /// its lock file.
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
        return try await whileNotLent(name, label: "removing") { try await remove(name) }
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
            let lockPath = SideFiles(of: path).lock
            guard let lock = try await FileLock.acquire(lockPath, of: path) else {
                throw FileRemoval.inUse(path, "Another process is opening it")
            }
            let wasThere = try await BlockingWork.run { try FileRemoval(path: path, lockPath: lockPath).run() }
            lock.release()
            return wasThere
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }
}

/// Removes a file that is not open in this process; the caller holds the lock between processes.
private struct FileRemoval {
    let path: String
    let lockPath: String

    func run() throws -> Bool {
        let status = try FileStatus.at(path)
        guard status?.isRegularFile ?? true else {
            throw StrongroomError(.notAFile, "\"\(path)\" is not a regular file, and was not removed.")
        }
        let holders = try FileHolders.lasting { try FileHolders.using(path) }
        guard holders.isEmpty else { throw Self.inUse(path, "It is open in \(FileHolders.describe(holders))") }
        try DatabaseFile(path: path, name: "", busyTimeout: 0, log: nil).requireOwnCompanions()
        let former = try ReplacedFile.at(path)
        guard try former?.lock() ?? true else { throw Self.inUse(path, "Another program has it locked") }
        // The file first: the remaining files alone cannot be taken for a database, whereas the file without its WAL
        // might be an older state.
        try FileSystem.remove(path)
        let sideFiles = SideFiles(of: path)
        for file in sideFiles.engineFiles + sideFiles.envelopes { try FileSystem.remove(file) }
        for ending in SideFiles.libraryEndings {
            try FileSystem.removeCopy(FileSystem.companion(of: path, ending))
        }
        for record in try DatabaseFile(path: path, name: "", busyTimeout: 0, log: nil).replicaRecordPaths() {
            try FileSystem.removeCopy(record)
        }
        let backups = MigrationBackups(file: DatabaseFile(path: path, name: "", busyTimeout: 0, log: nil))
        for backup in try backups.list() { try backups.remove(backup) }
        try FileSystem.remove(lockPath)
        try FileSystem.synchronize(FileSystem.directory(of: path))
        // A program that opened it at the last moment would attach to the WAL of a new database of the same name.
        try former?.invalidate()
        try former?.retire()
        return status != nil
    }

    static func inUse(_ path: String, _ reason: String) -> StrongroomError {
        StrongroomError(.locked, "\(reason), so \"\(path)\" was not removed. Close it there, then try again.")
    }
}
