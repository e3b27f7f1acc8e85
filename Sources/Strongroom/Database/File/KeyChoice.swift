/// The key that opens a file, and the connection that it opened.
struct KeyChoice {
    /// The place in the chain, oldest first, of the key that opens the file or its envelope; nil for a chain that
    /// stands for plaintext.
    var place: Int?
    /// Whether it is the key that the file is to have.
    var isCurrent = true
    /// Whether it is a data key, out of the file's envelope.
    var isWrapped = false
    /// What further connections are keyed with; nil for plaintext.
    let derived: DerivedKey?
    /// The key that the file is to have, with the current settings, if it has been derived while the one that fits was
    /// looked for.
    var current: DerivedKey?
    /// A connection on which the key has been proved; it cannot write when a killed process left a log beside the file.
    var connection: Connection
}

extension KeyChoice {
    /// Finds the key of a chain that opens an encrypted file: the current one first, then from newest to oldest, each
    /// on a connection of its own, since keying a live connection again can destroy the file.
    ///
    /// - Parameter settings: How the file may be encrypted, oldest first; all keys are tried with the newest, then with
    ///   those before.
    /// - Throws: ``StrongroomError`` with `wrongKey` when no key fits, `truncated`, `damaged`, or the engine's failure.
    static func find(
        in chain: KeyChain, _ settings: [CipherSettings], for file: DatabaseFile, salt: [UInt8], size: Int64
    ) throws -> KeyChoice {
        let journal = file.path + "-journal"
        let hadJournal = try FileStatus.at(journal) != nil
        var current: DerivedKey?
        for candidate in try candidates(settings, for: file) {
            for (place, key) in chain.keys.enumerated().reversed() where key != .plaintext {
                let derived = try DerivedKey(key, salt: salt, settings: candidate)
                if place == chain.count - 1, candidate == settings.last { current = derived }
                do {
                    let connection = try proved(file, size: size, key: derived)
                    return KeyChoice(
                        place: place, isCurrent: place == chain.count - 1, derived: derived, current: current,
                        connection: connection)
                } catch let error as StrongroomError where error.code == .notADatabase {
                    continue
                }
            }
        }
        let isPlayedBack = try hadJournal && FileStatus.at(journal) == nil
        throw try noKeyFits(
            chain, file.path, size, settings.map { Int64($0.pageSize) }, isPlayedBack: isPlayedBack,
            hasLog: file.hasLog())
    }

    /// The newest first; of those alone that the log beside the file allows, since SQLCipher 3 crashes when it plays a
    /// journal back with a larger page than the file has.
    private static func candidates(_ settings: [CipherSettings], for file: DatabaseFile) throws -> [CipherSettings] {
        let pageSize = try file.logPageSize()
        return settings.reversed().filter { pageSize == nil || $0.pageSize == pageSize }
    }

    /// Opens a plaintext file.
    ///
    /// - Throws: ``StrongroomError`` with `notADatabase`, `truncated`, `damaged`, or the engine's failure.
    static func plaintext(_ file: DatabaseFile, in chain: KeyChain, size: Int64) throws -> KeyChoice {
        KeyChoice(
            place: chain.isPlaintext ? nil : 0, isCurrent: chain.isPlaintext, derived: nil,
            connection: try proved(file, size: size, key: nil))
    }

    /// A connection on which the whole schema has been read.
    ///
    /// With a log it cannot write: closing a connection that can checkpoints the WAL, whatever the key.
    /// Without a log it can: one that cannot leaves an empty log behind.
    private static func proved(_ file: DatabaseFile, size: Int64, key: DerivedKey?) throws -> Connection {
        guard !file.isReadOnly else {
            let size = try file.hasLog() ? nil : size
            return try file.connectToRead(key: key) { try $0.prove(file.path, size: size) }
        }
        guard try file.hasLog() else { return try proved(file, .existing, size: size, key: key) }
        do {
            return try proved(file, .readOnly, size: nil, key: key)
        } catch let error as StrongroomError where error.code == .readOnly {
            // A rollback journal: nobody can read before it has been played back, which is a write.
            return try proved(file, .existing, size: nil, key: key)
        }
    }

    private static func proved(
        _ file: DatabaseFile, _ mode: Connection.Mode, size: Int64?, key: DerivedKey?
    ) throws -> Connection {
        let connection = try file.connect(mode, key: key)
        do {
            try connection.prove(file.path, size: size)
        } catch let error as StrongroomError
            where error.code == .permissionDenied || (mode == .existing && error.code == .readOnly)
        {
            throw file.notPermitted("or the log beside it cannot be opened or made", error.resultCode)
        }
        return connection
    }

    private static func noKeyFits(
        _ chain: KeyChain, _ path: String, _ size: Int64, _ pageSizes: [Int64], isPlayedBack: Bool,
        hasLog: Bool
    ) -> StrongroomError {
        let change =
            isPlayedBack
            ? "The rollback journal beside it is gone: the engine may have undone the transaction that it kept."
            : "Nothing in it was changed."
        // With a log a page at the end may be half written: the log has it.
        guard hasLog || pageSizes.contains(where: { size % $0 == 0 }) else {
            let pageSize = pageSizes.map(String.init).joined(separator: " or ")
            return StrongroomError(
                .truncated,
                """
                No key of the chain opens "\(path)", and its \(size) bytes are no whole number of pages of \(pageSize) \
                bytes: it was cut off, or is no database of this engine. Restore it from a backup. \(change)
                """
            )
        }
        let tried =
            chain.count == 1 ? "The key of the chain does not open" : "None of the chain's \(chain.count) keys opens"
        return StrongroomError(
            .wrongKey,
            """
            \(tried) "\(path)". Add the key that the file was made with to the chain, at its beginning; if the chain \
            is right, the file's first page is damaged, or it is no SQLCipher database of this engine's format. \
            \(change)
            """
        )
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
