/// The kind of content at a database's path, determined by its first bytes.
enum FileContent: Equatable {
    case absent
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
    static func of(_ path: String) throws -> FileContent {
        try of(path) { try PlainFile(path).bytes(at: $0, $1) }
    }

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
        guard header == FileSystem.plaintextHeader else { return .encrypted(salt: header, size: status.size) }
        guard try !PlaintextHeader.isFollowedByCiphertext(status.size, read) else {
            throw StrongroomError.plaintextHeader(path)
        }
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

/// What is remembered of a database's encryption, as text in the lock file beside it: a plaintext file is no longer
/// accepted instead of one that was encrypted, since any program can write one.
///
/// The text has no authentication code: it does not protect against a program that may write to the directory.
extension DatabaseFile {
    enum Stamp: String, CaseIterable {
        /// The plaintext file is being encrypted; its envelope may be complete before it is.
        case converting
        /// The file was encrypted.
        case encrypted
    }

    private static let longestStamp = 16

    private func stamp() throws -> Stamp? {
        let bytes = try FileSystem.firstBytesIfThere(of: lockPath, Self.longestStamp) ?? []
        return Stamp.allCases.first { bytes.starts(with: $0.rawValue.utf8) }
    }

    /// Remembers a state; to be called while the lock between processes is held.
    func remember(_ stamp: Stamp) throws {
        // Nearly always.
        guard try self.stamp() != stamp else { return }
        let file = try PlainFile(lockPath, isWritable: true, followsLinks: false)
        let bytes = Array(stamp.rawValue.utf8)
        // In this order a killed process leaves one of the two states.
        try file.write(bytes, at: 0)
        try file.truncate(to: Int64(bytes.count))
        // It must not be lost if the envelope that is created next is not.
        guard stamp == .converting else { return }
        try file.synchronize()
        try FileSystem.synchronize(FileSystem.directory(of: lockPath))
    }

    /// Throws if the database was encrypted once: a plaintext file is not it.
    ///
    /// - Parameter found: The path of the plaintext file; nil for the database.
    func requireNeverEncrypted(at found: String? = nil) throws {
        let envelope = EnvelopeFile(databasePath: path, name: name)
        let hasEnvelope = try envelope.exists()
        switch try stamp() {
        case .encrypted: break
        // The process that was encrypting it was interrupted.
        case .converting: return
        case nil: guard hasEnvelope else { return }
        }
        let files = hasEnvelope ? [envelope.path, envelope.copyPath, lockPath] : [lockPath]
        throw StrongroomError(
            .plaintextFile,
            """
            The file "\(found ?? path)" is a plaintext database, which any program can write, and the database \
            "\(name)" was encrypted before, so it is neither read nor encrypted. Restore the database from a backup. \
            If the plaintext file is to replace it, move \(files.map { "\"\($0)\"" }.joined(separator: ", ")) \
            away first, while no program has the database open. Nothing was changed.
            """,
            database: name)
    }
}
