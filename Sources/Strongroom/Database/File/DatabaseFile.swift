/// A database's file and how connections to it are opened.
struct DatabaseFile: Sendable {
    var path: String
    /// The database's name in errors.
    let name: String
    /// How long a statement waits for another connection's lock, in milliseconds.
    let busyTimeout: Int
    let log: StatementLog.Settings?
    /// Whether its triggers may be recursive; see ``StoreSettings/recursiveTriggers``.
    var hasRecursiveTriggers = false
    /// The most memory of a connection for decrypted pages, in bytes.
    var pageCache = Connection.defaultPageCache
    var functions = ConnectionFunctions()
    var isReadOnly = false
    /// The status of the file when a store opened it read-only; nil for others.
    var baseline: FileStatus?

    /// Opens the file and sets the key; reads nothing yet.
    func connect(_ mode: Connection.Mode, key: DerivedKey?) throws -> Connection {
        if mode != .untouched { try requireOwnLogs() }
        let connection = try Connection(path: path, mode: mode, database: name)
        // The engine opens a write-protected file read-only without an error, and would leave an empty WAL behind.
        guard mode != .existing || !connection.isReadOnly else { throw notPermitted("can be read but not written") }
        connection.setBusyTimeout(milliseconds: busyTimeout)
        connection.file.pageCache = pageCache
        try connection.install(functions)
        if baseline != nil {
            let log = mode == .withoutIndex ? try FileStatus.at(logPath) : nil
            let isLocked = mode != .untouched && mode != .withoutIndex
            connection.file.check = { [self] in try checkBaseline(isLocked: isLocked, log: log) }
        }
        if mode == .withoutIndex { connection.add(MemoryIndex()) }
        if mode != .untouched { try checkLog(before: connection) }
        try connection.silenceLog()
        if let key {
            try connection.refuseZeroPages()
            try key.withUnsafeBytes { try connection.setKey($0) }
            try connection.apply(key.settings)
        }
        if mode != .untouched { try connection.synchronizeFully() }
        // Has to be set before the first page is read.
        if mode == .withoutIndex { try connection.run("PRAGMA locking_mode = EXCLUSIVE") }
        return connection
    }

    /// The same file at its resolved path: symbolic links are followed, and the directory is created unless the file is
    /// opened read-only.
    func located() throws -> DatabaseFile {
        let directory = FileSystem.directory(of: path)
        if isReadOnly {
            guard try FileStatus.at(directory) != nil else { return self }
        } else {
            try FileSystem.createDirectories(directory)
        }
        var located = self
        located.path = try FileSystem.resolve(path)
        return located
    }

    /// A copy of the database at another path, whose statements are not logged.
    func copy(at path: String, busyTimeout: Int = 0) -> DatabaseFile {
        DatabaseFile(path: path, name: name, busyTimeout: busyTimeout, log: nil, functions: functions)
    }

    /// The same file with its present state as baseline.
    func withBaseline() throws -> DatabaseFile {
        var file = self
        file.baseline = try FileStatus.at(path)
        return file
    }

    /// The file's first bytes, on which the keys depend. They are read through a connection without a key, because
    /// closing a separate descriptor would drop the locks of open connections.
    func salt() throws -> [UInt8] { try bytes(from: 0, CipherSettings.saltLength) }

    /// Bytes of the file, read as ``salt()`` is.
    func bytes(from offset: Int64, _ count: Int) throws -> [UInt8] {
        let connection = try connect(.untouched, key: nil)
        defer { connection.close() }
        return try connection.databaseFile().bytes(at: offset, count)
    }

    /// The error for an operation that the operating system does not permit.
    func notPermitted(_ what: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            "The file \"\(path)\" \(what). Check who owns it and its directory and whether they may be written.",
            database: name,
            resultCode: resultCode
        )
    }

    /// Whether there is content in the WAL or rollback journal beside the file, as a killed process leaves it.
    func hasLog() throws -> Bool {
        try sideFiles.logs.contains { try FileSystem.requireRegular($0).map { $0.size > 0 } ?? false }
    }

    /// Throws if there is content in a WAL or rollback journal without a database, which the engine would apply to a
    /// new one.
    func requireNoLogLeft() throws {
        guard try hasLog() else { return }
        let logs = sideFiles.logs.map { "\"\($0)\"" }.joined(separator: " or ")
        throw StrongroomError(
            .fileMissing,
            """
            There is no "\(path)", but the log of a previous database exists, \(logs), which the engine would apply to \
            a new file. Restore the file, or move the log away; then try again.
            """,
            database: name)
    }

    /// Removes a rollback journal that is no longer valid, as a rotation leaves it that was killed or found damage. To
    /// be called if the file is in WAL mode or this process has exclusive access to it: then no program needs the
    /// journal.
    func removeSpentJournal() throws {
        let journal = sideFiles.journal
        // A valid journal begins with other bytes.
        guard let beginning = try FileSystem.firstBytesIfThere(of: journal, 8), beginning.allSatisfy({ $0 == 0 }) else {
            return
        }
        try FileSystem.remove(journal)
    }

    /// The page size in bytes according to the WAL or the rollback journal beside the file, which are not encrypted in
    /// this part; nil if there is none with a valid header. Another process may remove it meanwhile: the engine does so
    /// when the last connection is closed.
    ///
    /// See SQLite's documentation, "Database File Format", sections 3 and 4.1 (sqlite.org/fileformat2.html).
    func logPageSize() throws -> Int? {
        for (log, (beginnings, offset)) in zip(sideFiles.logs, Self.logForms) {
            guard let header = try FileSystem.firstBytesIfThere(of: log, offset + 4),
                header.count == offset + 4
            else { continue }
            guard beginnings.contains(where: { header.starts(with: $0) }) else { continue }
            let size = header[offset...].reduce(0) { $0 << 8 | Int($1) }
            if size.nonzeroBitCount == 1 { return size }
        }
        return nil
    }

    /// The magic bytes of these files, and the offset of the page size.
    private static let logForms: [(beginnings: [[UInt8]], offset: Int)] = [
        ([[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]], 8),
        ([[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]], 24),
    ]
}

extension Connection {
    /// Applies the settings of connections to a file.
    func configure(as role: Role, of file: DatabaseFile) throws {
        try configure(as: role, busyTimeout: file.busyTimeout)
        if file.hasRecursiveTriggers { try allowRecursiveTriggers() }
        log(file.log, as: role)
    }

    /// Reads the schema, which succeeds only with the correct key.
    func proveKey() throws {
        try readSchema()
        try refuseZeroPagesOfLog()
    }
}

/// The files beside a database that belong to it.
extension DatabaseFile {
    /// Throws if the path of a WAL, index or journal is a symbolic link, FIFO or device, which the engine would follow
    /// or open.
    ///
    /// To be called before the engine opens the file. A user who may write to the directory can still create one in
    /// between.
    func requireOwnLogs() throws {
        for file in sideFiles.engineFiles { try requireRegular(file) }
    }

    /// The beginning of the suffix of records of what was shipped to replicas; see `StrongroomReplication`.
    private static let replicaEnding = "replica-"

    func replicaRecordPath(_ name: String) -> String {
        FileSystem.hiddenFile(of: path, Self.replicaEnding + name)
    }

    func replicaRecordPaths() throws -> [String] {
        try SideFiles.files(beginningWith: replicaRecordPath(""))
    }

    /// Throws if the path of one of the engine's or the library's files beside the database is not a regular file.
    ///
    /// - Returns: Those of ``SideFiles/libraryEndings`` that exist.
    @discardableResult
    func requireOwnSideFiles() throws -> Set<String> {
        for file in sideFiles.all { try requireRegular(file) }
        let beginning = FileSystem.hiddenFile(of: path, "")
        return try Set(SideFiles.libraryEndings.filter { try requireRegular(beginning + $0) })
    }

    @discardableResult
    private func requireRegular(_ path: String) throws -> Bool {
        do {
            return try FileSystem.requireRegular(path) != nil
        } catch let error as StrongroomError {
            throw error.naming(name)
        }
    }

    /// The beginning of the suffix of migration backups, after the file's own name; 0.1.0 called them snapshots.
    static let migrationBackupEnding = "snapshot-"

    /// Whether the file has a migration backup, which has the key and the content that the file had then.
    func hasMigrationBackups() throws -> Bool {
        try !SideFiles.files(beginningWith: FileSystem.hiddenFile(of: path, Self.migrationBackupEnding)).isEmpty
    }

    /// Removes what belongs to the file, which is removed, but for the lock and migration backups.
    func removeSideFiles() throws {
        for file in sideFiles.engineFiles + sideFiles.envelopes { try FileSystem.remove(file) }
        for ending in SideFiles.libraryEndings {
            try FileSystem.removeCopy(FileSystem.hiddenFile(of: path, ending))
        }
        // Last: the directory may not be listed.
        for record in try replicaRecordPaths() { try FileSystem.removeCopy(record) }
        for log in try sideFiles.damagedLogs() { try FileSystem.remove(log) }
    }
}
