/// A database's file and how connections to it are opened.
struct DatabaseFile: Sendable {
    /// Where the file lies.
    var path: String
    /// What errors call the database.
    let name: String
    /// How long a statement waits for another connection's lock, in milliseconds.
    let busyTimeout: Int
    /// Who is told of its statements.
    let log: StatementLog.Settings?
    /// Whether its triggers may be recursive; see ``StoreSettings/recursiveTriggers``.
    var hasRecursiveTriggers = false
    /// Whether it is opened read-only, and left as it is.
    var isReadOnly = false
    /// The file as it was when a store opened it read-only; nil for others.
    var baseline: FileBaseline?

    /// Opens the file and gives the key to the engine; nothing is read yet.
    ///
    /// - Parameters:
    ///   - mode: Whether the connection can write.
    ///   - key: The key; nil for plaintext.
    /// - Throws: ``StrongroomError`` with `damagedLog`, before the engine reads the log; `permissionDenied`, or the
    ///   engine's failure.
    func connect(_ mode: Connection.Mode, key: DerivedKey?) throws -> Connection {
        if mode != .untouched { try requireOwnLogs() }
        let connection = try Connection(path: path, mode: mode, database: name)
        // Where a file may not be written the engine is content with reading, and would leave an empty log behind.
        guard mode != .existing || !connection.isReadOnly else { throw notPermitted("can be read but not written") }
        connection.setBusyTimeout(milliseconds: busyTimeout)
        if let baseline {
            let log = mode == .withoutIndex ? try FileStatus.at(path + "-wal") : nil
            let isLocked = mode != .untouched && mode != .withoutIndex
            connection.file.check = { [name] in try baseline.check(isLocked: isLocked, log: log, name) }
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
        // Before the first page is read.
        if mode == .withoutIndex { try connection.run("PRAGMA locking_mode = EXCLUSIVE") }
        return connection
    }

    /// The same at the path where it lies in fact: its directory is made, unless the file is opened read-only, and
    /// links are followed.
    func located() throws -> DatabaseFile {
        let directory = FileSystem.directory(of: path)
        if !isReadOnly { try FileSystem.createDirectories(directory) }
        guard try FileStatus.at(directory) != nil else { return self }
        var located = self
        located.path = try FileSystem.resolve(path)
        return located
    }

    /// The same with what is known of the file as it is now.
    func withBaseline() throws -> DatabaseFile {
        var file = self
        file.baseline = try FileBaseline.at(path)
        return file
    }

    /// The file's first bytes, on which the keys depend: read through a connection without a key, since closing a
    /// descriptor of its own would drop the locks of those connections that are open.
    ///
    /// - Returns: As many as there are.
    func salt() throws -> [UInt8] { try bytes(from: 0, CipherSettings.saltLength) }

    /// Bytes of the file, read as ``salt()`` is.
    ///
    /// - Parameters:
    ///   - offset: Where they begin.
    ///   - count: How many at most.
    /// - Returns: As many as there are.
    func bytes(from offset: Int64, _ count: Int) throws -> [UInt8] {
        let connection = try connect(.untouched, key: nil)
        defer { connection.close() }
        let file = try connection.databaseFile()
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try file.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// The error for what the operating system does not permit.
    ///
    /// - Parameter what: What cannot be done with the file, as in "can be read but not written".
    func notPermitted(_ what: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            "The file \"\(path)\" \(what). Check who owns it and its directory and whether they may be written.",
            database: name,
            resultCode: resultCode
        )
    }

    /// Whether there is content in the log or the rollback journal beside the file, as a killed process leaves it.
    func hasLog() throws -> Bool {
        try ["-wal", "-journal"].contains { try FileSystem.requireRegular(path + $0).map { $0.size > 0 } ?? false }
    }

    /// Removes a rollback journal that has been used up: a rotation that was killed, or met damage, leaves it behind.
    /// To be called when the file is one that is written through a log, or is had alone: then no program needs it.
    func removeSpentJournal() throws {
        let journal = path + "-journal"
        // One that counts begins with other bytes.
        guard let beginning = try FileSystem.firstBytesIfThere(of: journal, 8), beginning.allSatisfy({ $0 == 0 }) else {
            return
        }
        try FileSystem.remove(journal)
    }

    /// The size in bytes of a page of the log or the rollback journal beside the file, which is not encrypted; nil
    /// without one that begins as SQLite has it. Another process may remove it meanwhile: the engine does, when the
    /// last one closes.
    ///
    /// See SQLite's documentation, "Database File Format", sections 3 and 4.1 (sqlite.org/fileformat2.html).
    func logPageSize() throws -> Int? {
        for (ending, beginnings, place) in Self.logForms {
            guard let header = try FileSystem.firstBytesIfThere(of: path + ending, place + 4), header.count == place + 4
            else { continue }
            guard beginnings.contains(where: { header.starts(with: $0) }) else { continue }
            let size = header[place...].reduce(0) { $0 << 8 | Int($1) }
            if size.nonzeroBitCount == 1 { return size }
        }
        return nil
    }

    /// The endings of logs, the bytes with which they begin, and where the size of a page stands.
    private static let logForms: [(ending: String, beginnings: [[UInt8]], place: Int)] = [
        ("-wal", [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]], 8),
        ("-journal", [[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]], 24),
    ]
}

extension Connection {
    /// Applies the settings of a file's connections.
    func configure(as role: Role, of file: DatabaseFile) throws {
        try configure(as: role, busyTimeout: file.busyTimeout)
        if file.hasRecursiveTriggers { try allowRecursiveTriggers() }
        log(file.log, as: role)
    }

    /// Reads the schema, which succeeds only with the right key.
    func proveKey() throws {
        _ = try ownValue("SELECT count(*) FROM sqlite_master")
        try refuseZeroPagesOfLog()
    }
}
