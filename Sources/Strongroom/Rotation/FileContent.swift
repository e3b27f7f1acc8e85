/// What lies at a database's path, by its first bytes.
enum FileContent: Equatable {
    /// Nothing.
    case absent
    /// A plaintext database and its size in bytes.
    case plaintext(size: Int64)
    /// What may be an encrypted database: its salt and its size in bytes.
    case encrypted(salt: [UInt8], size: Int64)

    /// The first bytes of an encrypted file.
    var salt: [UInt8]? {
        guard case .encrypted(let salt, _) = self else { return nil }
        return salt
    }

    private static let plaintextHeader = Array("SQLite format 3\0".utf8)
    private static let smallestPage: Int64 = 512

    /// Looks at a file.
    ///
    /// To be called only while this process has no connection to the file: closing the descriptor drops the engine's locks.
    ///
    /// - Throws: As ``of(_:beginning:)``.
    static func of(_ path: String) throws -> FileContent {
        try of(path) { try FileSystem.firstBytes(of: path, CipherSettings.saltLength) }
    }

    /// Looks at a file.
    ///
    /// - Parameter beginning: Reads as many bytes as a salt has, if there are as many.
    /// - Throws: ``StrongroomError`` with `notAFile`, `emptyFile`, `notADatabase` for a file that is too short to be one, or
    ///   `permissionDenied`.
    static func of(_ path: String, beginning: () throws -> [UInt8]) throws -> FileContent {
        guard let status = try FileStatus.at(path) else {
            guard !FileSystem.isSymbolicLink(path) else { throw linkToNothing(path) }
            return .absent
        }
        guard status.isRegularFile else {
            let what = status.isDirectory ? "a directory" : "not a regular file"
            throw StrongroomError(
                .notAFile,
                "What lies at «\(path)» is \(what), so no database can be opened there. Give another path, or move it away."
            )
        }
        guard status.size > 0 else {
            throw StrongroomError(
                .emptyFile,
                """
                The file «\(path)» is empty. A database that was there has been lost: restore it from a backup. \
                If there never was one, remove the file, and a new database is made.
                """
            )
        }
        let header = try beginning()
        guard status.size >= smallestPage else {
            let code: StrongroomError.Code = header.starts(with: Array("SQLite".utf8)) ? .truncated : .notADatabase
            throw StrongroomError(
                code,
                """
                The file «\(path)» has \(status.size) bytes, less than any database. It was cut off or is something else: \
                restore it from a backup, or give another path.
                """
            )
        }
        return header == plaintextHeader ? .plaintext(size: status.size) : .encrypted(salt: header, size: status.size)
    }

    private static func linkToNothing(_ path: String) -> StrongroomError {
        StrongroomError(
            .notAFile,
            """
            What lies at «\(path)» is a symbolic link to a file that is not there. Bring the file back (is its disk mounted?), or \
            remove the link, and a new database is made in its place.
            """
        )
    }
}
