import CSQLCipher

/// A prepared statement of one connection; used by whoever holds the connection.
@usableFromInline
final class Statement {
    @usableFromInline let pointer: OpaquePointer
    @usableFromInline let arena = ParameterArena()

    private unowned let owner: Connection

    /// Set while somebody steps through the statement, so that a nested use gets one of its own.
    @usableFromInline var isInUse = false

    /// What an insert binds in place of NULL, by place; empty where no column has a default.
    @usableFromInline var defaults: [Value] = []

    /// When the statement was last handed out; the cache drops the oldest.
    var lastUse: UInt64 = 0

    init(_ pointer: OpaquePointer, owner: Connection) {
        self.pointer = pointer
        self.owner = owner
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    var sql: String { sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// The place of the last parameter, counted from 0.
    @usableFromInline var lastParameter: Int { parameterCount - 1 }

    @usableFromInline var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// Makes one step.
    ///
    /// - Returns: True when there is a row, false at the end.
    @usableFromInline
    func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw failure(result)
        }
    }

    /// Runs the statement to its end, whatever rows it gives.
    @usableFromInline
    func run() throws {
        while try step() {}
    }

    /// Makes the statement ready for the next use.
    @usableFromInline
    func finish() {
        sqlite3_reset(pointer)
        if arena.mustUnbind { sqlite3_clear_bindings(pointer) }
        arena.reset()
        isInUse = false
    }

    /// Sets all parameters to NULL, so that one that is forgotten never keeps the value of an earlier row.
    @usableFromInline
    func clearBindings() {
        sqlite3_clear_bindings(pointer)
    }

    /// Resets for another execution within one use.
    @usableFromInline
    func rewind() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
        arena.reset()
    }

    /// The statements that work on names alone, so that no failure of theirs can quote a value.
    private static let valueless: Set<String> = [
        "ALTER", "BEGIN", "COMMIT", "DROP", "PRAGMA", "RELEASE", "ROLLBACK", "SAVEPOINT", "VACUUM",
    ]

    private var firstWord: String { sql.prefix { $0.isLetter }.uppercased() }

    private func failure(_ result: Int32) -> StrongroomError {
        let code = ResultCode(extended: sqlite3_extended_errcode(owner.pointer))
        owner.noteFailure()
        let kind = StrongroomError.Code(code)
        // For a plain SQLITE_ERROR the engine's words may quote a value that is bound or stored (a full-text query, a JSON path).
        let mayQuoteValue = code.primary == SQLITE_ERROR && !Self.valueless.contains(firstWord)
        let text = mayQuoteValue ? sqlite3_errstr(result) : sqlite3_errmsg(owner.pointer)
        let words = text.map { String(cString: $0) } ?? "unknown error"
        return StrongroomError(
            kind,
            kind.advice.isEmpty ? words : "\(words). \(kind.advice)",
            database: owner.database,
            sql: sql,
            resultCode: code
        )
    }
}
