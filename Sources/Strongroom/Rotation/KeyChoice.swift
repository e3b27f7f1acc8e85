/// The key that opens a file, and the connection that it opened.
struct KeyChoice {
    /// The key's place in the chain, oldest first; nil for plaintext.
    let place: Int?
    /// What further connections are keyed with; nil for plaintext.
    let derived: DerivedKey?
    /// A connection on which the key has been proved.
    let connection: Connection
}

extension KeyChoice {
    /// Finds the key of a chain that opens an encrypted file: the current one first, then from newest to oldest, each on a
    /// connection of its own, since keying a live connection again can destroy the file.
    ///
    /// - Throws: ``StrongroomError`` with `wrongKey` when no key fits, `truncated`, `damaged`, or the engine's failure.
    static func find(
        in chain: KeyChain,
        path: String,
        salt: [UInt8],
        size: Int64,
        busyTimeout: Int
    ) throws -> KeyChoice {
        let settings = try CipherSettings.engineDefault()
        for (place, key) in chain.keys.enumerated().reversed() {
            let derived = try DerivedKey(key, salt: salt, settings: settings)
            let connection = try Connection.open(path, mode: .existing, key: derived)
            connection.setBusyTimeout(milliseconds: busyTimeout)
            do {
                try connection.proveKey()
                return KeyChoice(place: place, derived: derived, connection: connection)
            } catch let error as StrongroomError where error.code == .notADatabase {
                continue
            } catch let error as StrongroomError where error.code == .damaged {
                throw damage(path, size: size, pageSize: Int64(settings.pageSize), error)
            }
        }
        throw noKeyFits(chain, path, size: size, pageSize: Int64(settings.pageSize))
    }

    private static func damage(
        _ path: String, size: Int64, pageSize: Int64, _ cause: StrongroomError
    ) -> StrongroomError {
        // The engine compares the file's length with the number of pages in its header before it reads on.
        StrongroomError(
            .truncated,
            """
            The file «\(path)» has \(size) bytes, less than the database in it (pages of \(pageSize) bytes). It was cut off: \
            restore it from a backup. The file was not touched.
            """,
            resultCode: cause.resultCode
        )
    }

    private static func noKeyFits(_ chain: KeyChain, _ path: String, size: Int64, pageSize: Int64) -> StrongroomError {
        guard size % pageSize == 0 else {
            return StrongroomError(
                .truncated,
                """
                No key of the chain opens «\(path)», and its \(size) bytes are no whole number of pages of \(pageSize) bytes: \
                it was cut off, or is no database of this engine. Restore it from a backup. The file was not touched.
                """
            )
        }
        let tried =
            chain.count == 1 ? "The key of the chain does not open" : "None of the chain's \(chain.count) keys opens"
        return StrongroomError(
            .wrongKey,
            """
            \(tried) «\(path)». Add the key that the file was made with to the chain, at its beginning; if the chain is \
            right, the file is no SQLCipher database of this engine's format. The file was not touched.
            """
        )
    }
}

extension Connection {
    /// Opens a file and gives it the key; nothing is read yet.
    static func open(_ path: String, mode: Mode, key: DerivedKey?) throws -> Connection {
        let connection = try Connection(path: path, mode: mode, database: FileSystem.name(of: path))
        try connection.silenceLog()
        if let key { try key.withUnsafeBytes { try connection.setKey($0) } }
        return connection
    }

    /// Reads the schema, which succeeds only with the right key.
    func proveKey() throws {
        _ = try ownValue("SELECT count(*) FROM sqlite_master")
    }
}
