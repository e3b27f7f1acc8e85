import Foundation

/// A file that is opened read-only and not changed.
extension DatabaseFile {
    /// Opens the file and proves that the key opens it, in the best mode at the moment, because other processes may
    /// open and close it.
    func connectToRead(key: DerivedKey?, prove: (Connection) throws -> Void) throws -> Connection {
        // The engine rolls back a hot journal before it checks the key.
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
                // There is no space for the WAL index.
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

    /// The modes in which to try to open the file, the best first.
    private func modesOfReading(key: DerivedKey?) throws -> [Connection.Mode] {
        let hasIndex = try FileStatus.at(sideFiles.index) != nil
        // A hot journal has to be rolled back before the file can be read.
        if try FileSystem.hasJournal(path) { return mayBeWritten ? [.existing] : [.readOnly] }
        // Closing a connection that can write might checkpoint the WAL. Only a connection that can write rebuilds the
        // index.
        if try FileSystem.hasWriteAheadLog(path) {
            guard hasIndex || mayBeWritten else { return [] }
            return hasIndex || hasSpaceForIndex ? [.readOnly] : [.withoutIndex]
        }
        // On a full disk the attempt would leave an empty WAL behind.
        if mayBeWritten {
            let needsNoIndex = try hasIndex || hasSpaceForIndex || !isInWriteAheadMode(key: key)
            return needsNoIndex ? [.existing] : [.untouched]
        }
        // In WAL mode a read-only connection would leave a WAL and an index behind, if it can create them.
        let canMakeIndex = !hasIndex && FileSystem.mayWrite(FileSystem.directory(of: path))
        return try canMakeIndex && isInWriteAheadMode(key: key) ? [.untouched] : [.readOnly, .untouched]
    }

    /// Whether the file is in WAL mode; true if this cannot be determined.
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
            cipher: try PageCipher(key))
        return try contents.content(of: 1).flatMap(DatabaseHeader.init)?.isInWriteAheadMode ?? true
    }

    /// Whether the process may change the file and create others beside it.
    var mayBeWritten: Bool { FileSystem.mayWrite(path) && FileSystem.mayWrite(FileSystem.directory(of: path)) }

    /// Whether there is space for the WAL index, which the engine creates in WAL mode even to read.
    var hasSpaceForIndex: Bool {
        // If the free space is unknown, the engine reports a lack of it.
        ((try? FreeSpace.bytes(at: FileSystem.directory(of: path))) ?? .max) >= 2 * Self.indexSize
    }

    /// Bytes of the smallest index ("WAL-mode File Format", section 2, sqlite.org/walformat.html).
    private static let indexSize: Int64 = 32_768

    /// A connection besides those that are about to be closed, which keeps the last of them from checkpointing a WAL
    /// that another program has written meanwhile; to be closed after them. Nil if there is no such WAL, or if the
    /// connection cannot be opened: closing does not fail for that, and the engine then checkpoints the WAL, as it does
    /// for every program that is the last to close it.
    func keeperOfLog(key: DerivedKey?) -> Connection? {
        guard isReadOnly, (try? FileSystem.hasWriteAheadLog(path)) == true else { return nil }
        guard let keeper = try? connect(.readOnly, key: key) else { return nil }
        // Closing a store does not wait for other connections.
        keeper.setBusyTimeout(milliseconds: 100)
        return (try? keeper.proveKey()) == nil ? nil : keeper
    }

    var missing: StrongroomError {
        StrongroomError(
            .fileMissing,
            "There is no file at \"\(path)\", and opening it read-only does not create it. Check the path.",
            database: name)
    }

    var gone: StrongroomError {
        StrongroomError(.fileMissing, "The file \"\(path)\" is gone. Restore it, then try again.", database: name)
    }

    /// The error for a WAL that is needed to read the file and cannot be read.
    private func unreadableLog(_ resultCode: ResultCode?) throws -> StrongroomError {
        let log = try FileSystem.hasWriteAheadLog(path) ? sideFiles.log : sideFiles.journal
        return StrongroomError(
            .permissionDenied,
            """
            "\(path)" has the log "\(log)", and in this directory it cannot be read without writing. Copy both, \
            while no program has them open, to a directory that may be written, and open the copy; or open and close \
            the database with a program that may write there.
            """,
            database: name,
            resultCode: resultCode)
    }

    private func isAuthentic(_ key: DerivedKey) throws -> Bool {
        let connection = try connect(.untouched, key: nil)
        defer { connection.close() }
        return try PageCipher(key).fits(connection.databaseFile())
    }
}

/// Whether a file that was opened read-only is still as it was then.
///
/// Another program can replace the file, which a process with the old file open does not notice. Where no locks are
/// available, another program can also change the file during a read. Each transaction therefore checks at its end that
/// the file is still the one that was opened.
extension DatabaseFile {
    /// Throws if the data that was read is not valid.
    ///
    /// - Parameters:
    ///   - isLocked: Whether the read held the engine's locks, so that other processes could not change the file.
    ///   - log: The status of the WAL at the start of the read; nil if there was none, or an empty one.
    func checkBaseline(isLocked: Bool, log: FileStatus? = nil) throws {
        guard let baseline, try isLocked ? !isSame(baseline) : !isUnchanged(since: baseline, log) else { return }
        throw StrongroomError(
            .fileChanged,
            """
            Another program has \(isLocked ? "replaced" : "changed") "\(path)" since the store opened it read-only, so \
            the data that was read is not valid. Close the store, open it again, and read again.
            """,
            database: name)
    }

    private func isSame(_ status: FileStatus) throws -> Bool { try FileStatus.at(path)?.identity == status.identity }

    /// Whether the file is unchanged and no journal or WAL contains a change to it.
    private func isUnchanged(since status: FileStatus, _ log: FileStatus?) throws -> Bool {
        guard
            let now = try FileStatus.at(path), now.identity == status.identity, now.size == status.size,
            now.modified == status.modified, now.changed == status.changed
        else { return false }
        guard try !FileSystem.hasJournal(path) else { return false }
        guard let log else { return try !FileSystem.hasWriteAheadLog(path) }
        // As root, the engine sets the owner of a WAL that it opens; that changes only the file's ctime.
        guard let now = try FileStatus.at(logPath) else { return false }
        return now.identity == log.identity && now.size == log.size && now.modified == log.modified
    }
}

/// The write-ahead log beside a file, checked before the engine reads it.
extension DatabaseFile {
    var sideFiles: SideFiles { SideFiles(of: path) }

    var logPath: String { sideFiles.log }

    /// Throws if the WAL is damaged and the engine would rebuild the WAL index for a connection, which silently drops
    /// committed transactions after the damage.
    ///
    /// - Parameter connection: A connection that has not read anything yet.
    func checkLog(before connection: Connection) throws {
        guard let status = try FileStatus.at(logPath), status.isRegularFile, status.size > LogHeader.length else {
            return
        }
        // Checking for a WAL index would create one if there is none.
        let hasIndex = try FileStatus.at(sideFiles.index) != nil
        guard !hasIndex || !connection.isLogInUse else { return }
        guard let scan = try scanLog(connection.databaseFile()), let damage = scan.damage else { return }
        throw damagedLog(damage, kept: scan.soundCommits)
    }

    /// Scans the WAL; a WAL that seems damaged is scanned again until two scans agree, because another program may be
    /// writing or restarting it.
    ///
    /// - Returns: Nil if there is no WAL, or it is being written.
    func scanLog(_ database: any FileBytes) throws -> LogScan? {
        var previous: LogScan?
        for _ in 0..<Self.scans {
            guard try FileStatus.at(logPath)?.isRegularFile == true else { return nil }
            let scan: LogScan
            do {
                scan = try LogScan(PlainFile(logPath, followsLinks: false), of: database)
            } catch let error as StrongroomError where error.code == .fileMissing {
                return nil
            }
            guard scan.damage != nil, scan != previous else { return scan }
            previous = scan
            Thread.sleep(forTimeInterval: Self.pause)
        }
        return nil
    }

    /// The maximum number of scans.
    private static let scans = 5

    func damagedLog(_ damage: LogScan.Damage, kept: Int) -> StrongroomError {
        let location = damage.frame == 0 ? "in its header" : "at frame \(damage.frame)"
        let commits = damage.commits.counting("committed transaction")
        return StrongroomError(
            .damagedLog,
            """
            The write-ahead log "\(logPath)" is damaged \(location): SQLCipher would not read beyond that, and \
            \(commits) from there on would be lost. Nothing was changed. Restore the file with its log from a backup \
            or from a copy of the disk; or discard these transactions with `recoverLog` (`strongroom recover`), which \
            keeps the \(kept) before them, and the damaged log under another name.
            """,
            database: name)
    }
}
