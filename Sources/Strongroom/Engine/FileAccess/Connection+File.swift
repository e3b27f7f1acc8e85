import CSQLCipher

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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

    /// Flushes the file to the disk.
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

/// The valid part of a write-ahead log.
struct LogState: Equatable {
    /// The committed frames; a page that was written more than once counts each time.
    let frames: Int
    /// How many of them, from the first on, have been checkpointed.
    let framesInFile: Int
}

extension Connection {
    /// The database file.
    ///
    /// - Parameter schema: `main`, or the schema name of an attached file.
    func databaseFile(of schema: String = "main") throws -> EngineFile {
        try file(SQLITE_FCNTL_FILE_POINTER, of: schema)
    }

    /// The write-ahead log.
    func logFile() throws -> EngineFile { try file(SQLITE_FCNTL_JOURNAL_POINTER) }

    /// Adds a rule for the engine's locks on the file; to be called right after the connection is opened.
    func add(_ rule: any FileLockRule) {
        openFile(SQLITE_FCNTL_FILE_POINTER).flatMap(FileMethods.install)?.pointee.add(rule)
    }

    private func file(_ request: Int32, of schema: String = "main") throws -> EngineFile {
        EngineFile(try engineFile(request, of: schema), of: self)
    }

    /// The engine's file handle for a request.
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
    ///
    /// - Throws: ``StrongroomError`` with `fileMissing` or `fileChanged`.
    func checkPlace() throws {
        guard role == .writer, hasMoved, let path = sqlite3_db_filename(pointer, "main") else { return }
        throw StrongroomError.taken(
            String(cString: path), isMissing: access(path, F_OK) != 0, database: database)
    }

    /// The valid part of the WAL; to be called inside a transaction that blocks writers. Nil without a WAL.
    ///
    /// The form of the WAL index is part of the file format ("WAL-mode File Format", section 2,
    /// sqlite.org/walformat.html).
    func logState() throws -> LogState? {
        // Such a connection reads only the database file.
        guard mode != .untouched else { return nil }
        guard try ownValue("PRAGMA journal_mode") == .text("wal") else { return nil }
        let index = try logIndex()
        let frames = index.loadUnaligned(fromByteOffset: Self.frameCount, as: UInt32.self)
        let framesInFile = index.loadUnaligned(fromByteOffset: Self.frameInFileCount, as: UInt32.self)
        return LogState(frames: Int(frames), framesInFile: Int(min(frames, framesInFile)))
    }

    /// The first page of the WAL index, which all connections share.
    func logIndex() throws -> UnsafeMutableRawPointer {
        guard mode != .withoutIndex else {
            throw StrongroomError(
                .diskFull,
                """
                The database has a WAL, and there is no space for the WAL's index, so its pages cannot be checked. \
                \(StrongroomError.Code.diskFull.advice)
                """,
                database: database)
        }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        var index: UnsafeMutableRawPointer?
        var result = SQLITE_ERROR
        var reason: Int32 = 0
        if let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2 {
            result = methods.pointee.xShmMap(file, 0, Self.indexPage, 0, &index)
            // The engine records it only for its own calls.
            reason = errno
        }
        // Read-only access is enough, and is all that a read-only disk allows.
        guard result == SQLITE_OK || result & 0xFF == SQLITE_READONLY, let index else {
            if result & 0xFF == SQLITE_READONLY { throw unreadableIndex(ResultCode(extended: result)) }
            // Extending it needs disk space.
            let code = ResultCode(extended: result)
            let kind = StrongroomError.Code(code, systemError: reason)
            throw StrongroomError(
                kind, "The engine does not provide access to the WAL's index. \(kind.advice)", database: database,
                resultCode: code)
        }
        return index
    }

    private func unreadableIndex(_ code: ResultCode) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            """
            The database has a WAL in a directory where the WAL's index cannot be created, so its pages cannot be \
            checked. Copy both, while no program has them open, to a directory that may be written.
            """,
            database: database, resultCode: code)
    }

    /// Bytes of a page of the WAL index.
    static let indexPage: Int32 = 32_768
    /// Bytes of the header of the WAL index, which is followed by its copy.
    static let indexHeaderLength = 48
    /// The offset of `mxFrame` in the index, which `nBackfill` follows.
    private static let frameCount = 16
    private static let frameInFileCount = 96
}

extension StrongroomError {
    /// The error for an open file that another program has removed or renamed, or that is another file now.
    static func taken(_ path: String, isMissing: Bool, database: String) -> StrongroomError {
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
