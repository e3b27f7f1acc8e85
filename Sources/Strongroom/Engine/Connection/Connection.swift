import CSQLCipher
import Synchronization

/// One connection to a database file.
///
/// A connection is opened without the engine's mutex: only the holder of its slot (Store/ConnectionScheduler) uses it.
/// ``Attachments`` holds state of the layers above.
@usableFromInline
final class Connection: @unchecked Sendable {  // guarded by the slot: one holder at a time
    enum Mode {
        case create, existing, readOnly
        /// Reads the file itself, without its WAL, without a lock, and without leaving other files. For examining a
        /// file that another process may have open; the pages read may be inconsistent.
        case untouched
        /// Reads a file and its WAL without a lock that blocks writers, and without the `-shm` file: what is read is
        /// valid only if neither has been changed meanwhile.
        case withoutIndex

        fileprivate var flags: Int32 {
            switch self {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .existing: SQLITE_OPEN_READWRITE
            // The URI makes it read-only; the flags would also apply to attached files, to which it may have to write.
            case .readOnly, .untouched, .withoutIndex: SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
            }
        }

        /// The query part of the URI; nil where a path is enough.
        fileprivate var parameters: String? {
            switch self {
            case .create, .existing: nil
            case .readOnly, .withoutIndex: "mode=ro"
            case .untouched: "mode=ro&immutable=1"
            }
        }
    }

    let pointer: OpaquePointer
    let mode: Mode
    @usableFromInline let database: String
    let authorizer = Authorizer()
    private var isClosed = false
    /// Nil before the connection is configured.
    var role: Role?
    var file = FileState()

    /// Set from any thread when the running work is cancelled or times out.
    let cancellation = CancellationFlag()

    let functions: FunctionCalls
    /// The functions and collations that the program has declared.
    var declared = ConnectionFunctions()

    // `@exclusivity(unchecked)`: guarded by the slot, as the connection is. Every statement or transaction uses
    // these properties, and checks at run time would cost more than the accesses.

    /// The user's statements.
    @exclusivity(unchecked) var statements = StatementCache()
    @exclusivity(unchecked) var ownStatements = StatementCache()
    @exclusivity(unchecked) var transaction = TransactionContext()
    @exclusivity(unchecked) var interruption = Interruption()
    /// In the order in which they are called; most connections have none.
    @exclusivity(unchecked) var observers: [any StatementObserver] = []
    @exclusivity(unchecked) var use = EngineUse()
    /// State of the layers above for as long as the connection is open.
    @exclusivity(unchecked) var attachments = Attachments()

    var waiting = LockWait()
    var wal = WALState()

    /// Opens a file; reads nothing yet. Only tests of the WAL-reset race are not guarded against it.
    init(path: String, mode: Mode, database: String, isGuarded: Bool = WALResetGuard.isNeeded) throws {
        _ = (EngineMemory.isWiped, ProcessExit.endsEngine)
        var opened: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(mode.parameters.map { Self.address(of: path, $0) } ?? path, &opened, flags, nil)
        guard let pointer = opened else {
            throw StrongroomError(.outOfMemory, "Memory ran out while a file was opened.", database: database)
        }
        self.pointer = pointer
        self.mode = mode
        self.database = database
        functions = FunctionCalls(cancellation, authorizer)
        guard result == SQLITE_OK else {
            // Closed by deinit, which runs also when an initialiser of a fully initialised object throws.
            throw failure("The file could not be opened")
        }
        sqlite3_extended_result_codes(pointer, 1)
        if isGuarded { add(WALResetGuard()) }
        authorizer.install(on: pointer)
        guard ListTable.install(on: pointer) == SQLITE_OK else { throw failure("The connection could not be set up") }
        try installStandardFunctions()
    }

    /// See SQLite's documentation, "Uniform Resource Identifiers" (sqlite.org/uri.html).
    private static func address(of path: String, _ parameters: String) -> String {
        let plain = path.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber) || "/._-".contains(character)
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "file:\(plain.joined())?\(parameters)"
    }

    deinit { close() }

    /// Closes the connection at once, even if there are other references to it; it must not be used afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        clearStatements()
        sqlite3_close_v2(pointer)
    }

    /// Whether the library makes the row ids of new records, and not the engine.
    @usableFromInline @exclusivity(unchecked) var makesRowIDs = false

    /// Those row ids: exact in a floating-point number, too, and so many that no two processes take the same one.
    @usableFromInline static var generatedRowIDs: Range<Int64> { -(1 << 53)..<0 }

    /// Whether it is a store's writer, or its only connection.
    var isWriter: Bool { role == .writer || role == .inMemory }

    /// Whether a transaction on it may write now.
    var mayWrite: Bool { isWriter && !transaction.isKeptFromWriting }

    /// Whether the database is in memory, where this connection is the only one.
    var isInMemory: Bool { role == .inMemory }

    var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// Whether nothing can be written, because the file was opened read-only or its permissions allow no more.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    @usableFromInline var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// The number of rows changed since the connection was opened.
    var totalChanges: Int { Int(sqlite3_total_changes(pointer)) }

    /// The number of rows that the last statement changed.
    @usableFromInline var changes: Int { Int(sqlite3_changes(pointer)) }

    /// Passes the key to the engine's C function, which does not test it.
    func setKey(_ bytes: UnsafeRawBufferPointer, of schema: String = "main") throws {
        guard sqlite3_key_v2(pointer, schema, bytes.baseAddress, Int32(bytes.count)) == SQLITE_OK else {
            throw failure("The key was not accepted")
        }
        if schema == "main" { file.codecKeepsErrors = try codecStatus() != nil }
    }

    /// Logs each statement from now on; to be called after the key has been set.
    func log(_ settings: StatementLog.Settings?, as role: Role) {
        guard let settings, observers.first(StatementLog.self) == nil else { return }
        let log = StatementLog(settings, role, of: self)
        log.install()
        observers.append(log)
    }

    /// Empties the page cache. See `sqlite3_db_release_memory` (sqlite.org/c3ref/db_release_memory.html).
    func releaseMemory() { sqlite3_db_release_memory(pointer) }

    /// Frees the memory that the first reads have used, for a connection whose holder reads pages past the engine: its
    /// page cache, for which the engine allocates twenty pages at once unless it may have fewer than three ("PRAGMA
    /// Statements", `cache_size`, sqlite.org/pragma.html), and its prepared statements.
    func keepLittleMemory() throws {
        try run("PRAGMA cache_size = 1")
        ownStatements.removeAll()
        releaseMemory()
    }

    /// The error for the connection's last failure, which is damage if the codec has failed.
    func failure(_ what: String, _ kind: StrongroomError.Code? = nil, sql: String? = nil) -> StrongroomError {
        let error = engineFailure(what, kind, sql: sql)
        guard kind == nil, let code = error.resultCode else { return error }
        if let unknown = schemaError(code, sql: sql) { return unknown }
        guard code.mayHideDamage, hasFailedCodec else { return error }
        let kind = codeOfDamage
        let reason = kind == .damaged ? "a page is damaged" : "a page could not be read"
        return StrongroomError(
            kind, "\(what): \(reason). \(kind.advice)", database: database, sql: sql, resultCode: code)
    }

    func engineFailure(_ what: String, _ kind: StrongroomError.Code?, sql: String? = nil) -> StrongroomError {
        let code = ResultCode(extended: sqlite3_extended_errcode(pointer))
        let kind = kind ?? StrongroomError.Code(code, systemError: sqlite3_system_errno(pointer))
        let reason = sqlite3_errmsg(pointer).map { String(cString: $0) } ?? "unknown error"
        let advice = code.advice(for: kind)
        let message = advice.isEmpty ? "\(what): \(reason)." : "\(what): \(reason). \(advice)"
        return StrongroomError(kind, message, database: database, sql: sql, resultCode: code)
    }
}
