import CSQLCipher
import Synchronization

/// One connection to a database file.
///
/// A connection is opened without the engine's mutex: whoever holds its slot (Store/ConnectionScheduler) is the only
/// one to use it.
@usableFromInline
final class Connection: @unchecked Sendable {  // guarded by the slot: one holder at a time
    /// How a connection is opened.
    enum Mode {
        case create, existing, readOnly
        /// Reads what lies in the file itself at this moment: without its log, without a lock, and without a trace. For
        /// looking at a file that somebody else may have open; what is read may not fit together.
        case untouched
        /// Reads a file and its WAL without a lock that keeps others from writing, and without the WAL's index beside
        /// it: what is read counts only when neither has been changed meanwhile.
        case withoutIndex

        fileprivate var flags: Int32 {
            switch self {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .existing: SQLITE_OPEN_READWRITE
            // The address says that it cannot write; the flags would also count for files that it is to copy into.
            case .readOnly, .untouched, .withoutIndex: SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
            }
        }

        /// What stands behind the path in an address; nil where a path is enough.
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
    @exclusivity(unchecked) private var ownStatements = StatementCache()
    @exclusivity(unchecked) private var userStatements = StatementCache()
    let authorizer = Authorizer()
    private var isClosed = false

    /// The state of the transaction that this library opened on the connection.
    enum TransactionState {
        /// None is open.
        case none
        /// It is open.
        case open
        /// The engine has rolled it back, or part of it could not be undone: nothing more may run in it.
        case rolledBack
    }

    @exclusivity(unchecked) var transactionState = TransactionState.none

    /// Throws where what was read does not count, since others have replaced or changed the file; nil for one that
    /// writes.
    var checkFile: (() throws -> Void)?

    /// Whether a page of zeros is damage to it, as in every encrypted file.
    var refusesZeroPages = false

    /// Whether it is a store's only one that writes.
    var isWriter = false
    /// Whether a transaction that runs on it now may write.
    var mayWrite: Bool { isWriter && !isKeptFromWriting }
    /// Whether the database is in memory, where this connection alone reads and writes it.
    var isInMemory = false
    /// Whether it is kept from writing until the transaction ends.
    @exclusivity(unchecked) var isKeptFromWriting = false

    /// What takes part in its transactions.
    @exclusivity(unchecked) var companion: (any ConnectionCompanion)?
    /// What statements that only read have before them; nil for most connections.
    @exclusivity(unchecked) @usableFromInline var readExpressions: String?

    /// Which of the file's keys since the store was opened it has.
    var keyGeneration = 0
    /// Whether a transaction could not be begun since the file cannot be read with the connection's key.
    @exclusivity(unchecked) var isOfAnotherKey = false

    /// What made the engine roll the transaction back before its end.
    @exclusivity(unchecked) var rollbackCause: StrongroomError?

    /// Whether whoever waits for the running work has given it up; set from any thread.
    let isInterrupted = Atomic<Bool>(false)

    /// Whether the engine asks now and then, while a statement runs, whether it is given up.
    @exclusivity(unchecked) var isWatched = false
    /// Whether nobody wants any more what the library does with the connection for itself.
    @exclusivity(unchecked) var isUnwanted: (() -> Bool)?
    /// How much would be lost with the running statement.
    @exclusivity(unchecked) var company = Company.alone

    /// How the latest upsert finds its row: what a loop of upserts is to find out once.
    @exclusivity(unchecked) @usableFromInline var latestUpsert: AnyObject?

    /// What is known of the tables that the running list writes to; nil outside a list, see ``inList(of:_:)``.
    @exclusivity(unchecked) @usableFromInline var list: ListedTables?

    /// The types whose tables have been found, or made, in the transaction with the number beside it.
    @exclusivity(unchecked) var preparedTables: Set<ObjectIdentifier> = []
    /// The tables whose decimals have been found to be stored in the declared forms.
    @exclusivity(unchecked) var checkedDecimals: Set<String> = []
    /// Tables whose keys the engine makes; see ``requireMadeKeys(of:)``.
    @exclusivity(unchecked) var madeKeys: Set<String> = []
    @exclusivity(unchecked) var preparedIn = -1

    /// Milliseconds.
    @exclusivity(unchecked) var busyTimeout = 0
    @exclusivity(unchecked) var isCommitting = false
    /// When the running statement began to wait for a lock.
    @exclusivity(unchecked) var waitStart = ContinuousClock.now

    /// What has been asked of the engine.
    @exclusivity(unchecked) var use = EngineUse()

    /// Told of each statement before it runs; for tests.
    @exclusivity(unchecked) var watch: StatementWatch?
    /// Keeps what a migration does.
    @exclusivity(unchecked) var recorder: StatementRecorder?

    /// Told of each statement, if somebody wants to know.
    @exclusivity(unchecked) private var statementLog: StatementLog?

    /// Counts the transactions.
    @exclusivity(unchecked) var transactionNumber = 0
    /// What the running one has done.
    @exclusivity(unchecked) var tables = TableUse()
    @exclusivity(unchecked) var isWatchingReads = false
    @exclusivity(unchecked) var changedTables: Set<String> = []

    /// The pages that the write-ahead log had after the last commit that has not been followed by a checkpoint.
    @exclusivity(unchecked) var logLength = 0

    /// The length of the log from which on it is begun anew.
    @exclusivity(unchecked) var restartLength = Connection.tooLongLog

    /// Opens a file; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - mode: Whether a file that is not there is made.
    ///   - database: The name that errors give.
    ///   - isGuarded: Whether it is kept out of the WAL-reset race; false for tests.
    /// - Throws: ``StrongroomError`` with the code of the engine's failure.
    init(path: String, mode: Mode, database: String, isGuarded: Bool = WALResetGuard.isNeeded) throws {
        _ = EngineMemory.isWiped
        var opened: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(mode.parameters.map { Self.address(of: path, $0) } ?? path, &opened, flags, nil)
        guard let pointer = opened else {
            throw StrongroomError(.outOfMemory, "Memory ran out while a file was opened.", database: database)
        }
        self.pointer = pointer
        self.mode = mode
        self.database = database
        guard result == SQLITE_OK else {
            // Closed by deinit, which runs also when an initialiser of a fully initialised object throws.
            throw failure("The file could not be opened")
        }
        sqlite3_extended_result_codes(pointer, 1)
        if isGuarded { add(WALResetGuard()) }
        authorizer.install(on: pointer)
        guard ListTable.install(on: pointer) == SQLITE_OK else { throw failure("The connection could not be set up") }
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

    deinit {
        close()
    }

    /// Closes the connection at once, whoever may still refer to it; it must not be used afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        clearStatements()
        sqlite3_close_v2(pointer)
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// Whether nothing can be written: so it was opened, or the file's permissions allow no more.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// The key of the last row that was inserted.
    @usableFromInline var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// The number of rows changed since the connection was opened.
    var totalChanges: Int { Int(sqlite3_total_changes(pointer)) }

    /// The number of rows that the last statement changed.
    @usableFromInline var changes: Int { Int(sqlite3_changes(pointer)) }

    /// Gives the key to the engine's C function; the key is not tested by this.
    ///
    /// - Parameter schema: `main`, or the name that an attached file has.
    func setKey(_ bytes: UnsafeRawBufferPointer, of schema: String = "main") throws {
        guard sqlite3_key_v2(pointer, schema, bytes.baseAddress, Int32(bytes.count)) == SQLITE_OK else {
            throw failure("The key was not accepted")
        }
    }

    /// Tells a logger of each statement from now on; to be called when the key has been given.
    func log(_ settings: StatementLog.Settings?, as role: Role) {
        guard let settings, statementLog == nil else { return }
        let log = StatementLog(settings, role, of: self)
        log.install()
        statementLog = log
    }

    /// Empties the page cache. See `sqlite3_db_release_memory` (sqlite.org/c3ref/db_release_memory.html).
    func releaseMemory() {
        sqlite3_db_release_memory(pointer)
    }

    // MARK: Statements

    /// The library's own SQL, run without the limits that bind user SQL.
    func run(_ sql: String, _ values: Value...) throws {
        try withOwnStatement(sql, values) { try $0.run() }
    }

    /// The first column of the first row of the library's own SQL, or nil when there is no row.
    func ownValue(_ sql: String, _ values: Value...) throws -> Value? {
        try withOwnStatement(sql, values) { statement in
            try statement.step() ? Row(statement).value(at: 0) : nil
        }
    }

    /// Lends a statement of the library's own.
    func withOwnStatement<T>(_ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> T) throws -> T {
        // Also while it runs: the engine prepares a statement again when the schema has changed.
        try trusting {
            let statement = try ownStatements.statement(for: sql, prepare: prepare)
            defer { statement.finish() }
            if let watch, Self.isChange(sql) { try watch(sql, true) }
            tables.writes.formUnion(statement.tables.writes)
            for (index, value) in values.enumerated() {
                try Bindings(statement).bind(value, at: index)
            }
            return try body(statement)
        }
    }

    /// Runs the library's own SQL without the limits that bind user SQL.
    func trusting<T>(_ body: () throws -> T) rethrows -> T {
        let wasTrusting = authorizer.isTrusting
        authorizer.isTrusting = true
        defer { authorizer.isTrusting = wasTrusting }
        return try body()
    }

    /// A statement for SQL that a user wrote, held to what the authorizer allows.
    @usableFromInline
    func statement(_ sql: String) throws -> Statement {
        try checkTransaction()
        return try note(userStatements.statement(for: sql, prepare: prepare))
    }

    /// A statement for a table's operation; its text, and what an insert binds in place of NULL, are made only when it
    /// is prepared.
    ///
    /// - Parameter key: The operation; nil for one that has no key, which is known by its text.
    @usableFromInline
    func statement(_ key: OperationKey?, make: () throws -> (sql: String, defaults: [Value])) throws -> Statement {
        try checkTransaction()
        guard let key else {
            let (sql, defaults) = try make()
            let statement = try userStatements.statement(for: sql, prepare: prepare)
            statement.parameters.pointee.defaults = defaults
            statement.isOperation = true
            return try note(statement)
        }
        if let statement = userStatements.latest(for: key) { return try note(statement) }
        let statement = try userStatements.statement(for: key) {
            let (sql, defaults) = try make()
            let statement = try prepare(sql)
            statement.parameters.pointee.defaults = defaults
            statement.isOperation = true
            return statement
        }
        return try note(statement)
    }

    /// A piece of SQL that is made once and then kept.
    @usableFromInline
    func text(_ key: OperationKey, make: () -> String) -> String {
        userStatements.text(for: key, make: make)
    }

    /// Without this a statement after the engine's own rollback would commit by itself.
    func checkTransaction() throws {
        if isInterrupted.load(ordering: .relaxed) { throw CancellationError() }
        if transactionState == .rolledBack { throw transactionEnded }
    }

    var transactionEnded: StrongroomError {
        StrongroomError(
            .transactionEnded,
            "The engine has rolled the transaction back after an earlier error; nothing of it was kept. Run it again.",
            database: database
        )
    }

    /// Called after a failed statement: the engine answers some failures by rolling back the whole transaction.
    func noteFailure() {
        if transactionState == .open, !isInTransaction { transactionState = .rolledBack }
    }

    /// Drops the prepared statements of the user's.
    func forgetUserStatements() {
        userStatements.removeAll()
        madeKeys.removeAll()
    }

    /// Drops the prepared statements.
    func clearStatements() {
        ownStatements.removeAll()
        userStatements.removeAll()
        madeKeys.removeAll()
    }

    func prepare(_ sql: String) throws -> Statement {
        let text = try expanded(sql)
        var prepared: OpaquePointer?
        authorizer.hasRefused = false
        _ = authorizer.takeMade()
        let (result, rest) = text.utf8CString.withUnsafeBufferPointer { text -> (Int32, Int) in
            var tail: UnsafePointer<CChar>?
            let result = sqlite3_prepare_v2(pointer, text.baseAddress, Int32(clamping: text.count), &prepared, &tail)
            guard let tail, let start = text.baseAddress else { return (result, 0) }
            return (result, tail - start)
        }
        let tables = authorizer.takeTables()
        guard result == SQLITE_OK else {
            guard authorizer.hasRefused else { throw failure("The statement was not accepted", sql: sql) }
            // What follows may be a key.
            let beginning = String(sql.unicodeScalars.prefix { !"=('\"".unicodeScalars.contains($0) })
            throw failure("The statement was not accepted", .notAuthorized, sql: "\(beginning)…")
        }
        guard let prepared else {
            throw StrongroomError(.sql, "The SQL is empty; write a statement.", database: database, sql: sql)
        }
        let statement = Statement(prepared, owner: self)
        statement.tables = tables
        let made = authorizer.takeMade()
        statement.namesTable = !made.isEmpty
        try refuseHiding(made, sql)
        if !authorizer.isTrusting { use.statementsPrepared += 1 }
        guard !Self.hasContent(text.utf8.dropFirst(rest)) else {
            throw StrongroomError(
                .sql,
                "The SQL has more than one statement; run one at a time.",
                database: database,
                sql: sql
            )
        }
        return statement
    }

    /// Whether anything but white space and semicolons follows the first statement.
    private static func hasContent(_ rest: Substring.UTF8View) -> Bool {
        rest.contains { byte in
            byte != UInt8(ascii: " ") && byte != UInt8(ascii: ";") && !(0x09...0x0D).contains(byte)
        }
    }

    /// The error for the connection's last failure.
    func failure(_ what: String, _ kind: StrongroomError.Code? = nil, sql: String? = nil) -> StrongroomError {
        let code = ResultCode(extended: sqlite3_extended_errcode(pointer))
        let kind = kind ?? StrongroomError.Code(code, systemError: sqlite3_system_errno(pointer))
        let words = sqlite3_errmsg(pointer).map { String(cString: $0) } ?? "unknown error"
        let advice = kind.advice
        let message = advice.isEmpty ? "\(what): \(words)." : "\(what): \(words). \(advice)"
        return StrongroomError(kind, message, database: database, sql: sql, resultCode: code)
    }
}
