/// The kind of content at a database's path, determined by its first bytes.
enum FileContent: Equatable {
    /// No file.
    case absent
    /// A plaintext database and its size in bytes.
    case plaintext(size: Int64)
    /// Possibly an encrypted database, with its salt and its size in bytes.
    case encrypted(salt: [UInt8], size: Int64)

    /// The first bytes of an encrypted file.
    var salt: [UInt8]? {
        guard case .encrypted(let salt, _) = self else { return nil }
        return salt
    }

    private static let smallestPage: Int64 = 512

    /// Determines the content of a file.
    ///
    /// To be called only while this process has no connection to the file: closing the descriptor drops the engine's
    /// locks.
    ///
    /// - Throws: As ``of(_:reading:)``.
    static func of(_ path: String) throws -> FileContent {
        try of(path) { try FileSystem.bytes(of: path, from: $0, $1) }
    }

    /// Determines the content of a file.
    ///
    /// - Parameter read: Reads up to a number of bytes from an offset.
    /// - Throws: ``StrongroomError`` with `notAFile`, `emptyFile`, `notADatabase` for a file that is too short to be
    ///   one, `plaintextHeader`, or `permissionDenied`.
    static func of(_ path: String, reading read: (Int64, Int) throws -> [UInt8]) throws -> FileContent {
        guard let status = try FileStatus.at(path) else {
            guard !FileSystem.isSymbolicLink(path) else { throw linkToNothing(path) }
            return .absent
        }
        guard status.isRegularFile else {
            let what = status.isDirectory ? "a directory" : "not a regular file"
            throw StrongroomError(
                .notAFile,
                """
                "\(path)" is \(what), so no database can be opened there. Use another path, or move it away.
                """
            )
        }
        guard status.size > 0 else {
            throw StrongroomError(
                .emptyFile,
                """
                The file "\(path)" is empty. A database that was there has been lost: restore it from a backup. If \
                there never was one, remove the file; opening then creates a new database.
                """
            )
        }
        let header = try read(0, CipherSettings.saltLength)
        guard status.size >= smallestPage else {
            let code: StrongroomError.Code = header.starts(with: Array("SQLite".utf8)) ? .truncated : .notADatabase
            throw StrongroomError(
                code,
                """
                The file "\(path)" has \(status.size.counting("byte")), less than any database. It was truncated, or \
                is not a database: restore it from a backup, or use another path.
                """
            )
        }
        guard header == PlaintextHeader.beginning else { return .encrypted(salt: header, size: status.size) }
        let isEncrypted = try withoutActuallyEscaping(read) { read in
            try PlaintextHeader(size: status.size, read: read).isFollowedByCiphertext()
        }
        guard !isEncrypted else { throw StrongroomError.plaintextHeader(path) }
        return .plaintext(size: status.size)
    }

    private static func linkToNothing(_ path: String) -> StrongroomError {
        StrongroomError(
            .notAFile,
            """
            "\(path)" is a symbolic link to a file that does not exist. Restore the file (is its disk mounted?), or \
            remove the link; opening then creates a new database.
            """
        )
    }
}
