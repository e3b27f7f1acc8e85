/// A file that is opened read-only, and left as it is.
extension DatabaseFile {
    /// Opens the file, and proves that the key opens it: in the way that is best at this moment, since others may come
    /// and go.
    ///
    /// - Throws: ``StrongroomError`` with `notADatabase` for a wrong key, `permissionDenied` when it cannot be read
    ///   where it lies, `fileChanged`, or the engine's failure.
    func connectToRead(key: DerivedKey?, prove: (Connection) throws -> Void) throws -> Connection {
        // The engine undoes what a journal beside the file tells of before it looks whether the key fits.
        if try FileSystem.hasJournal(path), let key, try !isAuthentic(key) {
            throw StrongroomError(.notADatabase, "The key does not open \"\(path)\".", database: name)
        }
        var failure: StrongroomError?
        for mode in try modesOfReading(key: key) {
            do {
                return try connect(mode, key: key, prove: prove)
            } catch let error as StrongroomError where error.code == .permissionDenied || error.code == .readOnly {
                failure = error
            } catch let error as StrongroomError where error.code == .diskFull {
                // There is no space for the WAL's index.
                let mode = try FileSystem.hasWriteAheadLog(path) ? Connection.Mode.withoutIndex : .untouched
                return try connect(mode, key: key, prove: prove)
            }
        }
        guard try !hasLog(), let failure else { throw try unreadableLog(failure?.resultCode) }
        throw failure
    }

    private func connect(
        _ mode: Connection.Mode, key: DerivedKey?, prove: (Connection) throws -> Void
    ) throws -> Connection {
        let connection = try connect(mode, key: key)
        try prove(connection)
        try connection.file.check?()
        return connection
    }

    /// The ways to open the file, the best first.
    private func modesOfReading(key: DerivedKey?) throws -> [Connection.Mode] {
        let hasIndex = try FileStatus.at(path + "-shm") != nil
        // Half a transaction has to be undone before anybody can read.
        if try FileSystem.hasJournal(path) { return mayBeWritten ? [.existing] : [.readOnly] }
        // Closing one that can write might checkpoint the WAL. Only a connection that may
        // write rebuilds the index.
        if try FileSystem.hasWriteAheadLog(path) {
            guard hasIndex || mayBeWritten else { return [] }
            return hasIndex || hasSpaceForIndex ? [.readOnly] : [.withoutIndex]
        }
        // On a full disk the attempt would leave an empty WAL behind.
        if mayBeWritten {
            let needsNoIndex = try hasIndex || hasSpaceForIndex || !isInWriteAheadMode(key: key)
            return needsNoIndex ? [.existing] : [.untouched]
        }
        // In write-ahead mode one that cannot write would leave a log and an index behind, where it can make them.
        let canMakeIndex = !hasIndex && FileSystem.mayWrite(FileSystem.directory(of: path))
        return try canMakeIndex && isInWriteAheadMode(key: key) ? [.untouched] : [.readOnly, .untouched]
    }

    /// Whether the file is written through a write-ahead log, or that cannot be told.
    private func isInWriteAheadMode(key: DerivedKey?) throws -> Bool {
        let connection = try connect(.untouched, key: nil)
        defer { connection.close() }
        let bytes = try connection.databaseFile()
        guard let key else {
            var page = [UInt8](repeating: 0, count: DatabaseHeader.length)
            _ = try page.withUnsafeMutableBytes { try bytes.read(at: 0, into: $0) }
            return DatabaseHeader(page)?.isInWriteAheadMode ?? true
        }
        let contents = PageContents(
            pages: DatabasePages(closed: bytes, pageSize: key.settings.pageSize, count: 1),
            cipher: try PageCipher(key, settings: key.settings))
        return try contents.content(of: 1).flatMap(DatabaseHeader.init)?.isInWriteAheadMode ?? true
    }

    /// Whether the process may change the file, and make others beside it.
    var mayBeWritten: Bool { FileSystem.mayWrite(path) && FileSystem.mayWrite(FileSystem.directory(of: path)) }

    /// Whether there is space for what the engine makes beside a file in write-ahead mode even to read: the WAL's
    /// index.
    var hasSpaceForIndex: Bool {
        // Where it cannot be told the engine finds out.
        ((try? FreeSpace.bytes(at: FileSystem.directory(of: path))) ?? .max) >= 2 * Self.indexSize
    }

    /// Bytes of the shortest index ("WAL-mode File Format", section 2, sqlite.org/walformat.html).
    private static let indexSize: Int64 = 32_768

    /// A connection besides those that are about to be closed, which keeps the last of them from bringing a log into
    /// the file that another program has written meanwhile; to be closed after them. Nil where there is no such log,
    /// and where it cannot be had: closing does not fail for it, and the engine then checkpoints the WAL, as
    /// for every program that closes it last.
    func keeperOfLog(key: DerivedKey?) -> Connection? {
        guard isReadOnly, (try? FileSystem.hasWriteAheadLog(path)) == true else { return nil }
        guard let keeper = try? connect(.readOnly, key: key) else { return nil }
        // Whoever closes a store does not wait for others.
        keeper.setBusyTimeout(milliseconds: 100)
        return (try? keeper.proveKey()) == nil ? nil : keeper
    }

    /// The error for a file that is not there.
    var missing: StrongroomError {
        StrongroomError(
            .fileMissing,
            "There is no file at \"\(path)\", and one that is opened read-only is not made. Check the path.",
            database: name)
    }

    /// The error for a log without which the file cannot be read.
    private func unreadableLog(_ resultCode: ResultCode?) throws -> StrongroomError {
        let log = try FileSystem.hasWriteAheadLog(path) ? "-wal" : "-journal"
        return StrongroomError(
            .permissionDenied,
            """
            Beside "\(path)" lies "\(path)\(log)", which belongs to it, and where they lie it cannot be read without \
            writing. Copy both, when no program has them open, to a directory that may be written, and open the copy; \
            or let a program that may write there open and close the database.
            """,
            database: name,
            resultCode: resultCode)
    }

    /// Whether any of the first pages is authentic by a key.
    private func isAuthentic(_ key: DerivedKey) throws -> Bool {
        let connection = try connect(.untouched, key: nil)
        defer { connection.close() }
        return try PageCipher(key, settings: key.settings).fits(connection.databaseFile())
    }
}
