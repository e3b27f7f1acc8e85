/// Replacing the database's file with the finished file.
extension BackupRestore {
    /// Replaces the file atomically.
    ///
    /// - Parameter path: The finished file, beside the database.
    /// - Throws: ``StrongroomError`` with `locked` if another connection has the database open, `wrongKey`, `damaged`
    ///   and similar errors with what to do, or the file system's failure. The database is unchanged then, unless the
    ///   error says that it is restored.
    func replace(with path: String, _ content: FileContent, _ keys: DatabaseKeys) throws {
        let file = context.file
        guard content != .absent else {
            try file.requireNoLogLeft()
            try FileSystem.moveIntoPlace(path, file.path)
            return try FileSystem.settle(file.path)
        }
        let connection = try judging { try connectExclusively(content, keys) }
        defer { connection.close() }
        let descriptors = try file.descriptorsHere()
        try judging { try file.removeLog(of: connection) }
        try file.removeSpentJournal()
        // The lock has kept other processes from reading the file, not from opening it.
        guard try !file.isOpenedMeanwhile(since: descriptors) else { throw file.heldByOthers(for: "restored") }
        var isReplaced = false
        do {
            try ReplacedFile.replace(ReplacedFile(file.path), at: file.path, closing: connection) {
                try FileSystem.replace(file.path, with: path)
                isReplaced = true
            }
        } catch let error as StrongroomError where isReplaced {
            throw StrongroomError(
                error.code, "\"\(file.path)\" is restored, but the steps after that failed: \(error.message)",
                database: file.name)
        }
    }

    private func connectExclusively(_ content: FileContent, _ keys: DatabaseKeys) throws -> Connection {
        var derivedKey: DerivedKey?
        if case .encrypted = content {
            let unlocked = try keys.unlock(content)
            unlocked.connection.close()
            derivedKey = unlocked.derivedKey
        }
        guard let connection = try context.file.connectExclusively(key: derivedKey) else {
            throw context.file.heldByOthers(for: "restored")
        }
        return connection
    }

    // MARK: A database that cannot be opened

    /// Inspects the database that is to be replaced. One that cannot be opened is not replaced, since its content may
    /// still be recoverable.
    ///
    /// - Throws: What the inspection throws; for a file that cannot be opened, the same code with what to do.
    func judging<T>(_ inspect: () throws -> T) throws -> T {
        do {
            return try inspect()
        } catch let error as StrongroomError where Self.unusable.contains(error.code) {
            throw notReplaced(error)
        }
    }

    private static let unusable: Set<StrongroomError.Code> = [
        .emptyFile, .notADatabase, .truncated, .damaged, .damagedLog, .wrongKey, .plaintextHeader,
        .envelopeMissing, .envelopeDamaged, .foreignEnvelope, .newerEnvelope,
    ]

    private func notReplaced(_ failure: StrongroomError) -> StrongroomError {
        let own = [context.path] + context.file.sideFiles.engineFiles
        let envelope = EnvelopeFile(databasePath: context.path, name: context.file.name)
        // A migration backup is encrypted with the key in the database's envelope.
        let all = isOfMigration ? own : own + envelope.paths
        let present = all.filter { (try? FileStatus.at($0)) != nil }.map { "\"\($0)\"" }.joined(separator: ", ")
        var error = StrongroomError(
            failure.code,
            """
            "\(context.path)", or its envelope, cannot be opened (\(failure.code)), so it is not replaced: its content \
            may still be recoverable. If only its key is another one, give that. Otherwise move \(present) to another \
            directory, then restore again. Nothing was changed.
            """,
            database: context.file.name, resultCode: failure.resultCode)
        error.underlying = failure
        return error
    }
}
