/// A database's file and how connections to it are opened.
struct DatabaseFile: Sendable {
    /// Where the file lies.
    let path: String
    /// What errors call the database.
    let name: String
    /// How long a statement waits for another connection's lock, in milliseconds.
    let busyTimeout: Int
    /// Who is told of its statements.
    let log: StatementLog.Settings?

    /// Opens the file and gives the key to the engine; nothing is read yet.
    ///
    /// - Parameters:
    ///   - mode: Whether the connection can write.
    ///   - key: The key; nil for plaintext.
    func connect(_ mode: Connection.Mode, key: DerivedKey?) throws -> Connection {
        let connection = try Connection(path: path, mode: mode, database: name)
        // Where a file may not be written the engine is content with reading, and would leave an empty log behind.
        guard mode == .readOnly || !connection.isReadOnly else { throw notPermitted("can be read but not written") }
        connection.setBusyTimeout(milliseconds: busyTimeout)
        try connection.silenceLog()
        if let key { try key.withUnsafeBytes { try connection.setKey($0) } }
        return connection
    }

    /// The error for what the operating system does not permit.
    ///
    /// - Parameter what: What cannot be done with the file, as in "can be read but not written".
    func notPermitted(_ what: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            "The file «\(path)» \(what). Check who owns it and its directory and whether they may be written.",
            database: name,
            resultCode: resultCode
        )
    }

    /// Whether there is content in the log or the rollback journal beside the file, as a killed process leaves it.
    func hasLog() throws -> Bool {
        try ["-wal", "-journal"].contains { try FileStatus.at(path + $0).map { $0.size > 0 } ?? false }
    }
}

extension Connection {
    /// Applies the settings of a file's connections.
    func configure(as role: Role, of file: DatabaseFile) throws {
        try configure(as: role, busyTimeout: file.busyTimeout)
        log(file.log, as: role)
    }

    /// Reads the schema, which succeeds only with the right key.
    func proveKey() throws {
        _ = try ownValue("SELECT count(*) FROM sqlite_master")
    }
}
