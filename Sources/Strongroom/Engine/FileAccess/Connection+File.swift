import CSQLCipher
import Foundation

/// Reads a file through the engine's handle: closing a descriptor of the process's own would drop the locks that the
/// engine holds on the file ("How To Corrupt An SQLite Database File", section 2.2, sqlite.org/howtocorrupt.html).
///
/// The content is read as it is stored, encrypted. Only for the holder of the connection's slot.
struct EngineFile: FileBytes {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let connection: Connection

    fileprivate init(_ file: UnsafeMutablePointer<sqlite3_file>, of connection: Connection) {
        self.file = file
        self.connection = connection
    }

    func size() throws -> Int64 {
        var size: sqlite3_int64 = 0
        try check(file.pointee.pMethods.pointee.xFileSize(file, &size))
        return size
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        // The engine fills a short read with zeros and does not report its length.
        let count = Int(clamping: min(Int64(buffer.count), max(0, try size() - offset)))
        guard count > 0 else { return 0 }
        guard let methods = FileMethods.original(of: file) else { return 0 }
        try check(methods.pointee.xRead(file, buffer.baseAddress, Int32(clamping: count), offset))
        return count
    }

    func synchronize() throws {
        try check(file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL), "flushed to the disk")
    }

    private func check(_ result: Int32, _ what: String = "read") throws {
        guard result != SQLITE_OK else { return }
        throw StrongroomError(
            .inputOutput,
            "The file could not be \(what). \(StrongroomError.Code.inputOutput.advice)",
            database: connection.database,
            resultCode: ResultCode(extended: result)
        )
    }
}

extension Connection {
    func databaseFile(of schema: String = "main") throws -> EngineFile {
        EngineFile(try engineFile(SQLITE_FCNTL_FILE_POINTER, of: schema), of: self)
    }

    func logFile() throws -> EngineFile { EngineFile(try engineFile(SQLITE_FCNTL_JOURNAL_POINTER), of: self) }

    /// Adds a rule for the engine's locks on the file; to be called right after the connection is opened.
    func add(_ rule: any FileLockRule) {
        openFile(SQLITE_FCNTL_FILE_POINTER).flatMap(FileMethods.install)?.pointee.add(rule)
    }

    func engineFile(_ request: Int32, of schema: String = "main") throws -> FileMethods.File {
        let (file, result) = handle(request, of: schema)
        guard let file else {
            throw StrongroomError(
                .engine, "The engine does not provide access to the file.", database: database,
                resultCode: ResultCode(extended: result))
        }
        return file
    }

    /// The engine's file handle for a request; nil if the file is not open, as a WAL that was not read yet.
    func openFile(_ request: Int32) -> FileMethods.File? { handle(request, of: "main").file }

    private func handle(_ request: Int32, of schema: String) -> (file: FileMethods.File?, result: Int32) {
        var file: FileMethods.File?
        let result = sqlite3_file_control(pointer, schema, request, &file)
        return (result == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil, result)
    }

    /// Whether the path now refers to another file than the open one, or to none; false if the engine does not report
    /// it.
    var hasMoved: Bool {
        var hasMoved: Int32 = 0
        return sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }

    /// Throws if the file of a store's writer is not at its path any more: what is committed now would be lost.
    func checkPath() throws {
        guard role == .writer, hasMoved, let path = sqlite3_db_filename(pointer, "main") else { return }
        throw StrongroomError.replaced(
            String(cString: path), isMissing: access(path, F_OK) != 0, database: database)
    }
}

extension StrongroomError {
    /// The error for an open file that another program has removed or renamed, or that is another file now.
    static func replaced(_ path: String, isMissing: Bool, database: String) -> StrongroomError {
        let what = isMissing ? "The file \"\(path)\" was removed or renamed" : "Another file was put at \"\(path)\""
        let next =
            isMissing
            ? "put the file back with its WAL, or restore a backup, then open the store again."
            : "and open it again, which opens the file that is there now."
        return StrongroomError(
            isMissing ? .fileMissing : .fileChanged,
            """
            \(what) while the store had it open, so nothing can be read and written there any more: no write is \
            acknowledged. Close the store, \(next)
            """,
            database: database)
    }
}

/// Exclusive access to a file.
extension Connection {
    /// Tries once to lock out every other connection of this process and of others. For a file in WAL mode this fails
    /// even if another connection is idle; for a file in another mode an idle connection without a lock is not
    /// detected.
    ///
    /// The connection must have been used only for reading. It has to be closed to release the file.
    ///
    /// - Returns: False if another connection has the file open.
    func acquireExclusiveAccess() throws -> Bool {
        try run("PRAGMA locking_mode = EXCLUSIVE")
        do {
            try run(.beginExclusive)
            try run(.commit)
            return true
        } catch let error as StrongroomError where error.code == .busy {
            return false
        }
    }

    /// Checkpoints the entire WAL and leaves WAL mode, so that the file itself is the complete database; to be called
    /// while the connection has exclusive access.
    ///
    /// - Parameter whenInFile: Called when the file is complete and the WAL still exists.
    func mergeLog(whenInFile: () throws -> Void) throws {
        try run("PRAGMA wal_checkpoint(FULL)")
        try whenInFile()
        guard try setJournalMode("DELETE") else {
            throw StrongroomError(
                .locked,
                """
                The WAL could not be checkpointed: another connection has the file open. Close it there, then try \
                again.
                """,
                database: database
            )
        }
    }
}

extension Connection {
    /// Rewrites every page with another key, inside the open transaction.
    ///
    /// The engine's result is not reliable: it reports success even if nothing was done, and the next write through the
    /// connection would then destroy the file. The connection must therefore be committed and closed at once in any
    /// case, and only a new one with the new key proves the result.
    func rekey(_ bytes: UnsafeRawBufferPointer) throws {
        // Every prepared statement holds pages.
        clearStatements()
        // Version 3 ignores the schema name and rekeys `main`.
        let result = acceptingZeroPages { sqlite3_rekey_v2(pointer, "main", bytes.baseAddress, Int32(bytes.count)) }
        guard result == SQLITE_OK else { throw failure("The file could not be rewritten with another key") }
    }
}

extension Connection {
    /// Copies every page of another connection's file into this connection's, which is empty; both have the same page
    /// size.
    ///
    /// An unreadable page at the end of a long value is copied as zeros without an error: callers that must detect this
    /// check the pages first. See SQLite's documentation, "Online Backup API" (sqlite.org/backup.html).
    func copyPages(from source: Connection, pagesAtOnce: Int, progress: (Int, Int) throws -> Void) throws {
        try source.acceptingZeroPages { try copyAllPages(from: source, pagesAtOnce, progress) }
    }

    private func copyAllPages(
        from source: Connection, _ pagesAtOnce: Int, _ progress: (Int, Int) throws -> Void
    ) throws {
        guard let backup = sqlite3_backup_init(pointer, "main", source.pointer, "main") else {
            throw failure("The file could not be copied")
        }
        var isFinished = false
        defer { if !isFinished { sqlite3_backup_finish(backup) } }
        while true {
            let result = sqlite3_backup_step(backup, Int32(clamping: pagesAtOnce))
            let total = Int(sqlite3_backup_pagecount(backup))
            try progress(total - Int(sqlite3_backup_remaining(backup)), total)
            if result == SQLITE_DONE { break }
            // BUSY would mean that another connection writes, which the caller prevents.
            guard result == SQLITE_OK else { break }
        }
        isFinished = true
        guard sqlite3_backup_finish(backup) == SQLITE_OK else { throw failure("The file could not be copied") }
    }
}

/// A file that is read in parts.
package protocol FileBytes {
    /// In bytes.
    func size() throws -> Int64

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - offset: Where to begin, in bytes.
    ///   - buffer: Receives the bytes.
    /// - Returns: The number of bytes read: less than the size of the buffer at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension FileBytes {
    /// Reads bytes: fewer than a number of them at the end of the file.
    package func bytes(at offset: Int64, _ count: Int) throws -> [UInt8] {
        try [UInt8](capacity: count) { buffer, filled in
            filled = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
