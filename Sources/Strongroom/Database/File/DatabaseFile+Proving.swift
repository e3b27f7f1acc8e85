extension DatabaseFile {
    /// A connection on which the whole schema has been read.
    ///
    /// With a log it cannot write: closing a connection that can checkpoints the WAL, whatever the key.
    /// Without a log it can: one that cannot leaves an empty log behind.
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
            // A rollback journal: nobody can read before it has been played back, which is a write.
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
            throw notPermitted("or the log beside it cannot be opened or made", error.resultCode)
        }
        return connection
    }
}

extension Connection {
    /// Reads the first page, then the schema.
    ///
    /// - Parameters:
    ///   - path: What errors name.
    ///   - size: The file's size in bytes; nil when the end of the database may lie in a log.
    /// - Throws: ``StrongroomError`` with `notADatabase` for a wrong key, `truncated`, `damaged`, or the engine's
    ///   failure.
    fileprivate func prove(_ path: String, size: Int64?) throws {
        do {
            _ = try ownValue("PRAGMA schema_version")
        } catch let error as StrongroomError where error.code == .damaged {
            // No page but the first has been read; the engine refuses one that counts more pages than the file has.
            throw cutOff(path, error.resultCode)
        }
        try proveKey()
        guard size != nil else { return }
        // Both anew and in one transaction: while the key was fetched, another process may have made the file grow, or
        // a log.
        let length = try inTransaction(.deferred) {
            try proveKey()
            return try self.length()
        }
        guard let size = try FileStatus.at(path)?.size, size < length else { return }
        if try !["-wal", "-journal"].contains(where: { try FileStatus.at(path + $0).map { $0.size > 0 } ?? false }) {
            throw cutOff(path, nil)
        }
    }

    /// The database's length in bytes: of a last page that is cut off the engine reads the missing part as zeros.
    private func length() throws -> Int64 {
        guard
            let count = try setting("page_count").flatMap({ Int64($0) }),
            let pageSize = try setting("page_size").flatMap({ Int64($0) })
        else {
            throw StrongroomError(.engine, "SQLCipher does not tell how many pages the file has.", database: database)
        }
        return count * pageSize
    }

    private func cutOff(_ path: String, _ resultCode: ResultCode?) -> StrongroomError {
        StrongroomError(
            .truncated,
            """
            The file "\(path)" is shorter than the database in it: it was cut off. Restore it from a backup.
            """,
            database: database,
            resultCode: resultCode
        )
    }
}
