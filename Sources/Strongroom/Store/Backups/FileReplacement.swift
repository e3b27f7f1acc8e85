/// Replaces a database's file with a finished file; the caller holds the lock between processes, and this process has
/// no connection to the file.
struct FileReplacement {
    let opening: StoreContext
    /// The finished file, beside the database.
    let path: String
    /// Whether it is encrypted with the key in the database's envelope.
    let needsEnvelope: Bool

    /// Replaces the file atomically.
    ///
    /// - Parameters:
    ///   - content: The content at the database's path.
    ///   - keys: The keys that may open it.
    /// - Throws: ``StrongroomError`` with `locked` if another connection has the database open, `wrongKey`, `damaged`
    ///   and similar errors with what to do, or the file system's failure. The database is unchanged then, unless the
    ///   error says that the file is in its place.
    func run(_ content: FileContent, _ keys: DatabaseKeys) throws {
        guard content != .absent else {
            guard try !opening.file.hasLog() else { throw logIsLeft }
            try FileSystem.moveIntoPlace(path, opening.path)
            return try FileSystem.settle(opening.path)
        }
        let connection = try Self.judging(opening, needsEnvelope: needsEnvelope) { try whole(content, keys) }
        defer { connection.close() }
        let descriptors = try opening.file.descriptorsHere()
        // Otherwise the engine would apply the old file's WAL to the new one.
        try Self.judging(opening, needsEnvelope: needsEnvelope) { try connection.mergeLog {} }
        try opening.file.removeSpentJournal()
        // The lock has kept other processes from reading the file, not from opening it.
        guard try !opening.file.isOpenedMeanwhile(since: descriptors) else {
            throw opening.file.heldByOthers(for: "restored")
        }
        try put(connection)
    }

    /// Replaces the database's file, and makes the former file unusable for connections that opened it at the last
    /// moment.
    ///
    /// - Parameter connection: A connection with exclusive access to the former file; it is closed.
    private func put(_ connection: Connection) throws {
        let former = try ReplacedFile(opening.path)
        // Before the descriptor is closed, which would drop the connection's locks.
        defer { connection.close() }
        try FileSystem.replace(opening.path, with: path)
        do {
            try FileSystem.settle(opening.path)
        } catch {
            connection.close()
            former.retireAfterFailure()
            throw error
        }
        do {
            try former.invalidate()
            connection.close()
            try former.retire()
        } catch let error as StrongroomError {
            throw StrongroomError(
                error.code,
                """
                "\(opening.path)" is restored, but the former file could not be invalidated for programs that have it \
                open: \(error.message)
                """,
                database: opening.file.name)
        }
    }

    /// A connection that has exclusive access to the file.
    private func whole(_ content: FileContent, _ keys: DatabaseKeys) throws -> Connection {
        var derivedKey: DerivedKey?
        if case .encrypted = content {
            let unlocked = try keys.unlock(content)
            unlocked.connection.close()
            derivedKey = unlocked.derivedKey
        }
        guard let connection = try opening.file.connectExclusively(key: derivedKey) else {
            throw opening.file.heldByOthers(for: "restored")
        }
        return connection
    }

    private var logIsLeft: StrongroomError {
        StrongroomError(
            .fileMissing,
            """
            There is no "\(opening.path)", but its log exists, which the engine would apply to the restored file. Move \
            away \(opening.file.sideFiles.logs.map { "\"\($0)\"" }.joined(separator: " and ")), then restore.
            """,
            database: opening.file.name
        )
    }

    // MARK: A database that cannot be opened

    /// Inspects the database that is to be replaced. One that cannot be opened is not replaced, since its content may
    /// still be recoverable.
    ///
    /// - Parameter needsEnvelope: Whether the restored file is encrypted with the key in the database's envelope.
    /// - Throws: What the inspection throws; for a file that cannot be opened, the same code with what to do.
    static func judging<T>(_ opening: StoreContext, needsEnvelope: Bool, _ inspect: () throws -> T) throws -> T {
        do {
            return try inspect()
        } catch let error as StrongroomError where unusable.contains(error.code) {
            throw notReplaced(opening, error, needsEnvelope)
        }
    }

    private static let unusable: Set<StrongroomError.Code> = [
        .emptyFile, .notADatabase, .truncated, .damaged, .damagedLog, .wrongKey, .plaintextHeader,
        .envelopeMissing, .envelopeDamaged, .foreignEnvelope, .newerEnvelope,
    ]

    private static func notReplaced(
        _ opening: StoreContext, _ failure: StrongroomError, _ needsEnvelope: Bool
    ) -> StrongroomError {
        let own = [opening.path] + opening.file.sideFiles.engineFiles
        let envelope = EnvelopeFile(databasePath: opening.path, name: opening.file.name)
        let all = needsEnvelope ? own : own + envelope.paths
        let present = all.filter { (try? FileStatus.at($0)) != nil }.map { "\"\($0)\"" }.joined(separator: ", ")
        var error = StrongroomError(
            failure.code,
            """
            "\(opening.path)", or its envelope, cannot be opened (\(failure.code)), so it is not replaced: its content \
            may still be recoverable. If only its key is another one, give that. Otherwise move \(present) to another \
            directory, then restore again. Nothing was changed.
            """,
            database: opening.file.name, resultCode: failure.resultCode)
        error.underlying = failure
        return error
    }
}
