import CSQLCipher

/// A prepared statement of one connection; used by whoever holds the connection.
@usableFromInline
final class Statement {
    @usableFromInline let pointer: OpaquePointer
    let parameters: UnsafeMutablePointer<ParameterState>

    private unowned let owner: Connection
    private let authorizer: Authorizer

    /// Set while somebody steps through the statement, so that a nested use gets one of its own.
    @exclusivity(unchecked) @usableFromInline var isInUse = false

    /// When the statement was last handed out; the cache drops the oldest.
    @exclusivity(unchecked) var lastUse: UInt64 = 0

    /// What it reads and writes.
    @exclusivity(unchecked) var tables = TableUse()

    /// Whether ``tables`` has also what an engine that does not tell of every table opens.
    @exclusivity(unchecked) var isExplained = false

    /// Whether its text is that of a table's operation, and not the user's own.
    @exclusivity(unchecked) var isOperation = false
    /// Whether it makes or renames a table or view. Such a statement is prepared for each run: whether its name would
    /// hide another one depends on what there is.
    var namesTable = false

    /// Where the columns of the record are that was read last by this text. Not let go of while rows are read.
    @exclusivity(unchecked) var columnOrder: ColumnOrder?

    /// Whether ``columnOrder`` is that of the statement as it is prepared now.
    @exclusivity(unchecked) var areNamesKnown = false

    /// The transaction in which that was noted last.
    @exclusivity(unchecked) var notedIn = -1

    init(_ pointer: OpaquePointer, owner: Connection) {
        self.pointer = pointer
        self.owner = owner
        authorizer = owner.authorizer
        parameters = .allocate(capacity: 1)
        parameters.initialize(to: ParameterState(count: Int(sqlite3_bind_parameter_count(pointer))))
    }

    deinit {
        sqlite3_finalize(pointer)
        parameters.deinitialize(count: 1)
        parameters.deallocate()
    }

    var sql: String { sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// The first of the last parameters, counted from 0.
    @usableFromInline
    func lastParameters(_ count: Int) -> Int { parameterCount - count }

    /// Whether a parameter may hold a value; of the first 64, one that does not is NULL.
    @usableFromInline
    func mayHold(_ index: Int) -> Bool { parameters.pointee.mayHold(index) }

    @usableFromInline var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// Makes one step.
    ///
    /// - Returns: True when there is a row, false at the end.
    @usableFromInline
    func step() throws -> Bool {
        let result = sqlite3_step(pointer)
        if authorizer.hasTables { try owner.noteAgain(self) }
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(result)
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
        parameters.pointee.renew(for: pointer)
        isInUse = false
    }

    /// Sets the parameters that a record has not set to NULL.
    @usableFromInline
    func dropUnsetParameters() {
        parameters.pointee.dropUnset(of: pointer)
    }

    /// The statements that work on names alone, so that no failure of theirs can quote a value.
    private static let valueless: Set<String> = [
        "ALTER", "BEGIN", "COMMIT", "DROP", "PRAGMA", "RELEASE", "ROLLBACK", "SAVEPOINT", "VACUUM",
    ]

    private var firstWord: String { sql.prefix { $0.isLetter }.uppercased() }

    private func failure(_ result: Int32) -> StrongroomError {
        let code = ResultCode(extended: sqlite3_extended_errcode(owner.pointer))
        owner.noteFailure()
        // For a plain SQLITE_ERROR the engine's words may quote a value that is bound or stored (a full-text query, a
        // JSON path).
        let mayQuoteValue = code.primary == SQLITE_ERROR && !Self.valueless.contains(firstWord)
        let full = sqlite3_errmsg(owner.pointer).map { String(cString: $0) } ?? "unknown error"
        // The engine has no code of its own for a sum beyond 64 bits.
        let isOverflow = full == "integer overflow"
        let plain = sqlite3_errstr(result).map { String(cString: $0) } ?? "unknown error"
        let words = mayQuoteValue && !isOverflow ? plain : full
        // SQLCipher 3 calls a page that fails its authentication an SQL error; a real one leaves the transaction as it
        // is.
        let isDamage =
            code.primary == SQLITE_ERROR
            && (owner.transaction.state == .rolledBack || owner.transaction.state == .open && owner.hasMetDamage)
        let known = StrongroomError.Code(code, systemError: sqlite3_system_errno(owner.pointer))
        let kind = isDamage ? .damaged : isOverflow ? .limit : known
        let constraint = ConstraintFailure(code, words, on: owner, whileCommitting: firstWord == "COMMIT")
        let advice = constraint?.advice ?? kind.advice
        var error = StrongroomError(
            kind,
            advice.isEmpty ? words : "\(words). \(advice)",
            database: owner.database,
            sql: sql,
            resultCode: code
        )
        error.constraint = constraint
        if owner.transaction.state == .rolledBack, owner.transaction.rollbackCause == nil {
            owner.transaction.rollbackCause = error
        }
        return error
    }
}
