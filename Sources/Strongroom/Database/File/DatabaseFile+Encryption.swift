/// What is remembered of a database's encryption, as text in the lock file beside it: a plaintext file is no longer
/// accepted in the place of one that was encrypted, since any program can write one.
///
/// The text has no authentication code: it does not protect against a program that may write to the directory.
extension DatabaseFile {
    enum Stamp: String {
        /// The plaintext file is being encrypted; its envelope may be complete before it is.
        case converting
        /// The file was encrypted.
        case encrypted
    }

    /// The longest text, in bytes.
    private static let longestStamp = 16

    private func stamp() throws -> Stamp? {
        try FileSystem.firstBytesIfThere(of: lockPath, Self.longestStamp)
            .flatMap { Stamp(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// Remembers a state; to be called while the lock between processes is held.
    func remember(_ stamp: Stamp) throws {
        // Nearly always.
        guard try self.stamp() != stamp else { return }
        let file = try PlainFile(lockPath, isWritable: true, followsLinks: false)
        try file.truncate(to: 0)
        try file.write(Array(stamp.rawValue.utf8), at: 0)
        // It must not be lost where the envelope that is created next is kept.
        guard stamp == .converting else { return }
        try file.synchronize()
        try FileSystem.synchronize(FileSystem.directory(of: lockPath))
    }

    /// Throws if the database was encrypted once: a plaintext file is not it.
    ///
    /// - Parameter place: The path of the plaintext file; nil for the database.
    /// - Throws: ``StrongroomError`` with `plaintextFile`.
    func requireNeverEncrypted(at place: String? = nil) throws {
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
            The file "\(place ?? path)" is a plaintext database, which any program can write, and the database \
            "\(name)" was encrypted before, so it is neither read nor encrypted. Restore the database from a backup. \
            If the plaintext file is to take its place, move \(files.map { "\"\($0)\"" }.joined(separator: ", ")) \
            away first, while no program has the database open. Nothing was changed.
            """,
            database: name)
    }
}
