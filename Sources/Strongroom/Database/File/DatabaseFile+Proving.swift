extension DatabaseFile {
    /// A connection that has read the whole schema.
    ///
    /// With a WAL it is read-only: closing one that can write checkpoints the WAL, whatever the key. Without a WAL it
    /// can write: a read-only one leaves an empty WAL behind.
    ///
    /// - Parameter size: The file's size in bytes.
    /// - Throws: ``StrongroomError`` with `notADatabase` for a wrong key, `truncated`, `damaged`, or the engine's
    ///   failure.
    func connectProving(_ key: DerivedKey?, size: Int64) throws -> Connection {
        guard !isReadOnly else {
            let size = try hasLog() ? nil : size
            return try connectToRead(key: key) { try $0.prove(path, size: size) }
        }
        guard try hasLog() else { return try connect(.existing, proving: key, size: size) }
        do {
            return try connect(.readOnly, proving: key, size: nil)
        } catch let error as StrongroomError where error.code == .readOnly {
            // A rollback journal has to be rolled back before the file can be read, which is a write.
            return try connect(.existing, proving: key, size: nil)
        }
    }

    private func connect(_ mode: Connection.Mode, proving key: DerivedKey?, size: Int64?) throws -> Connection {
        let connection = try connect(mode, key: key)
        do {
            try connection.prove(path, size: size)
        } catch let error as StrongroomError
            where error.code == .permissionDenied || (mode == .existing && error.code == .readOnly)
        {
            throw notPermitted("or its log cannot be opened or created", error.resultCode)
        }
        return connection
    }
}

extension Connection {
    /// Reads the first page, then the schema.
    ///
    /// - Parameters:
    ///   - path: The path used in errors.
    ///   - size: The file's size in bytes; nil if the end of the database may be in a WAL.
    /// - Throws: ``StrongroomError`` with `notADatabase` for a wrong key, `truncated`, `damaged`, or the engine's
    ///   failure.
    fileprivate func prove(_ path: String, size: Int64?) throws {
        do {
            _ = try ownValue("PRAGMA schema_version")
        } catch let error as StrongroomError where error.code == .damaged {
            // Only the first page has been read; the engine refuses one whose page count is larger than the file.
            throw cutOff(path, error.resultCode)
        }
        try proveKey()
        guard size != nil, try databaseLength() > FileStatus.at(path)?.size ?? 0 else { return }
        // Both are read again and in one transaction: while the key was fetched, another process may have extended the
        // file, or created a WAL.
        let length = try inTransaction(.deferred) {
            try proveKey()
            return try databaseLength()
        }
        guard let size = try FileStatus.at(path)?.size, size < length else { return }
        if try !SideFiles(of: path).logs.contains(where: { try FileStatus.at($0).map { $0.size > 0 } ?? false }) {
            throw cutOff(path, nil)
        }
    }

    private func cutOff(_ path: String, _ resultCode: ResultCode?) -> StrongroomError {
        StrongroomError(
            .truncated,
            """
            The file "\(path)" is shorter than the database in it: it was truncated. Restore it from a backup.
            """,
            database: database,
            resultCode: resultCode
        )
    }
}
