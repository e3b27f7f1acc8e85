import CSQLCipher

/// A prepared statement of one connection; guarded by the connection's slot.
@usableFromInline
final class Statement {
    @usableFromInline let pointer: OpaquePointer
    let parameters: UnsafeMutablePointer<ParameterState>

    private unowned let owner: Connection
    private let authorizer: Authorizer
    private let functions: FunctionCalls

    /// Set while the statement is being stepped through, so that a nested use prepares another one.
    @exclusivity(unchecked) @usableFromInline var isInUse = false

    /// The time of the last use; the cache evicts the least recently used statement.
    @exclusivity(unchecked) var lastUse: UInt64 = 0

    /// The tables that the statement reads and writes.
    @exclusivity(unchecked) var tables = TableUse()

    /// Whether ``tables`` also contains those that an engine without complete authorizer callbacks does not report.
    @exclusivity(unchecked) var hasAllReads = false

    /// Whether the text is that of a table's operation, not the user's.
    @exclusivity(unchecked) var isOperation = false

    /// The column positions of the record that was read last with this statement. Not released while rows are read.
    @exclusivity(unchecked) var columnOrder: ColumnOrder?

    /// Whether ``columnOrder`` matches the statement as currently prepared.
    @exclusivity(unchecked) var areNamesKnown = false

    /// Whether the statement fires a trigger that keeps a history.
    @exclusivity(unchecked) private(set) var keepsHistory = false

    /// The transaction that recorded the statement last.
    @exclusivity(unchecked) var recordedIn = -1

    /// The number of rows that were fetched last, of which the next time has about as many.
    @exclusivity(unchecked) @usableFromInline var lastCount = 0

    init(_ pointer: OpaquePointer, owner: Connection) {
        self.pointer = pointer
        self.owner = owner
        authorizer = owner.authorizer
        functions = owner.functions
        parameters = .allocate(capacity: 1)
        parameters.initialize(to: ParameterState(count: Int(sqlite3_bind_parameter_count(pointer))))
    }

    deinit {
        sqlite3_finalize(pointer)
        parameters.deinitialize(count: 1)
        parameters.deallocate()
    }

    /// Sets ``keepsHistory`` by the tables: the triggers read the author.
    func updateKeepsHistory() {
        keepsHistory = tables.reads.contains(AuthorTable.name) && !isReadOnly
    }

    var sql: String { sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }

    @usableFromInline var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// Whether a parameter may have a value; of the first 64, one that does not is NULL.
    @usableFromInline
    func mayHold(_ index: Int) -> Bool { parameters.pointee.mayHold(index) }

    @usableFromInline var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    @usableFromInline
    func step() throws -> Bool {
        let result = sqlite3_step(pointer)
        if authorizer.hasTables { try owner.recordReprepared(self) }
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(result)
        }
    }

    /// Steps the statement to its end and makes an element of each row.
    ///
    /// An array that grows is copied again and again; so that a long one is copied less often, it gets the capacity for
    /// as many rows as the statement returned last, but at most 16 times the number of rows read.
    @inlinable
    func fetch<Element>(into elements: inout [Element], _ make: () throws -> Element) throws {
        var nextReservation = 1_024
        while try step() {
            if elements.count == nextReservation {
                nextReservation *= 16
                elements.reserveCapacity(min(lastCount + lastCount / 8, nextReservation))
            }
            elements.append(try make())
        }
        lastCount = elements.count
    }

    @usableFromInline
    func run() throws {
        while try step() {}
    }

    /// Resets the statement for the next use.
    @usableFromInline
    func finish() {
        sqlite3_reset(pointer)
        parameters.pointee.renew(for: pointer)
        isInUse = false
    }

    /// Binds NULL to the parameters that a record has not set.
    @usableFromInline
    func dropUnsetParameters() {
        parameters.pointee.dropUnset(of: pointer)
    }

    /// Statements that refer to names only, so that their error messages cannot contain a value.
    private static let valueless: Set<String> = [
        "ALTER", "BEGIN", "COMMIT", "DROP", "PRAGMA", "RELEASE", "ROLLBACK", "SAVEPOINT", "VACUUM",
    ]

    private var firstWord: String { sql.prefix { $0.isLetter }.uppercased() }

    /// The error of a function in Swift that has ended the statement, or else that of the engine.
    private func error(_ result: Int32) -> any Error {
        // A function of constants that failed when the statement was prepared again has not ended it.
        guard let error = functions.removeFailure(), hasFailedInFunction(result) else { return failure(result) }
        owner.recordFailure()
        return (error as? StrongroomError)?.naming(owner.database, sql: sql) ?? error
    }

    private func hasFailedInFunction(_ result: Int32) -> Bool {
        result & 0xFF == SQLITE_ERROR
            && sqlite3_errmsg(owner.pointer).map { String(cString: $0) } == FunctionCalls.message
    }

    private static let vacuumAdvice = "A program calls the store's `vacuum()`, which runs it outside of a transaction."

    private func failure(_ result: Int32) -> StrongroomError {
        let code = ResultCode(extended: sqlite3_extended_errcode(owner.pointer))
        owner.recordFailure()
        // For a plain SQLITE_ERROR the engine's message may contain a bound or stored value (a full-text query, a JSON
        // path).
        let mayQuoteValue = code.primary == SQLITE_ERROR && !Self.valueless.contains(firstWord)
        let full = sqlite3_errmsg(owner.pointer).map { String(cString: $0) } ?? "unknown error"
        // A statement that the engine has prepared again.
        if code.primary == SQLITE_ERROR, let missing = MissingName(full, isPrefix: true) {
            return missing.error(sql: sql, database: owner.database)
        }
        if code.primary == SQLITE_ERROR, let error = owner.virtualTableError(full, sql: sql) { return error }
        if let error = owner.schemaError(code, sql: sql) { return error }
        // The engine has no separate code for a sum that exceeds 64 bits.
        let isOverflow = full == "integer overflow"
        let plain = sqlite3_errstr(result).map { String(cString: $0) } ?? "unknown error"
        let message = mayQuoteValue ? EngineMessage.withoutValues(full) ?? plain : full
        let known = StrongroomError.Code(code, systemError: sqlite3_system_errno(owner.pointer))
        // SQLCipher 3 reports a page that fails authentication as SQLITE_ERROR; a real SQL error does not roll back the
        // transaction.
        let isDamage =
            code.primary == SQLITE_ERROR
            && (owner.transaction.state == .rolledBack || owner.transaction.state == .open && owner.hasMetDamage)
            || code.mayHideDamage && owner.hasFailedCodec
        let kind: StrongroomError.Code = isDamage ? owner.codeOfDamage : isOverflow ? .limit : known
        let constraint = ConstraintFailure(code, message, on: owner, whileCommitting: firstWord == "COMMIT")
        let isVacuum = kind == .sql && firstWord == "VACUUM"
        let advice = constraint?.advice ?? (isVacuum ? Self.vacuumAdvice : code.advice(for: kind))
        var error = StrongroomError(
            kind,
            advice.isEmpty ? message : "\(message). \(advice)",
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

extension Row {
    @usableFromInline
    init(_ statement: borrowing Statement) { self.init(statement: statement.pointer) }

    /// A range of columns of a statement's row.
    @usableFromInline
    init(_ statement: borrowing Statement, from base: Int, count: Int) {
        self.init(statement: statement.pointer, from: base, count: count)
    }
}

extension Bindings {
    @usableFromInline
    init(_ statement: borrowing Statement, from base: Int = 0, width: Int = .max) {
        self.init(statement.pointer, statement.parameters, from: base, width: width)
    }
}

extension Statement {
    /// The statement's current row, with its columns in the order of a record's. Call it after the first step. The
    /// names are matched once per type, and again after the engine has prepared the statement anew.
    @usableFromInline
    func row<R>(for type: R.Type, _ names: [String]) throws -> Row {
        if let order = columnOrder, order.type == ObjectIdentifier(type), areNamesKnown {
            return Row(statement: pointer, in: order)
        }
        let order = try ColumnOrder(of: names, in: type, from: pointer)
        columnOrder = order
        areNamesKnown = true
        return Row(statement: pointer, in: order)
    }
}

/// Rows as bytes: the storage class and the bytes of each value, in the order of the rows.
final class RowBytes {
    private let buffer = WipedMemory(count: 64 << 10)
    private var used = 0
    private let isUTF16: Bool
    private let consume: (UnsafeRawBufferPointer) -> Void
    private(set) var rows: Int64 = 0

    init(_ encoding: EncodedText.Encoding, consume: @escaping (UnsafeRawBufferPointer) -> Void) {
        isUTF16 = encoding != .utf8
        self.consume = consume
    }

    func add(_ statement: Statement) {
        let pointer = statement.pointer
        for column in 0..<sqlite3_column_count(pointer) {
            let type = sqlite3_column_type(pointer, column)
            switch type {
            case SQLITE_INTEGER: add(type, UInt64(bitPattern: sqlite3_column_int64(pointer, column)))
            case SQLITE_FLOAT: add(type, sqlite3_column_double(pointer, column).bitPattern)
            case SQLITE_TEXT where isUTF16:
                let text = UnsafeRawPointer(sqlite3_column_text16(pointer, column))
                add(type, text, Int(sqlite3_column_bytes16(pointer, column)))
            case SQLITE_TEXT:
                let text = UnsafeRawPointer(sqlite3_column_text(pointer, column))
                add(type, text, Int(sqlite3_column_bytes(pointer, column)))
            case SQLITE_BLOB:
                let blob = sqlite3_column_blob(pointer, column)
                add(type, blob, Int(sqlite3_column_bytes(pointer, column)))
            default: add(type, 0)
            }
        }
        rows += 1
    }

    /// - Parameter number: The value, or the length of one that follows.
    private func add(_ type: Int32, _ number: UInt64) {
        let length = 1 + MemoryLayout<UInt64>.size
        if buffer.bytes.count - used < length { flush() }
        buffer.bytes[used] = UInt8(truncatingIfNeeded: type)
        buffer.bytes.storeBytes(of: number.littleEndian, toByteOffset: used + 1, as: UInt64.self)
        used += length
    }

    private func add(_ type: Int32, _ start: UnsafeRawPointer?, _ count: Int) {
        add(type, UInt64(count))
        guard let start, count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        if count > buffer.bytes.count - used { flush() }
        guard count <= buffer.bytes.count else { return consume(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[used..<used + count]).copyMemory(from: bytes)
        used += count
    }

    /// Hands over the bytes that are left; to be called after the last row.
    func flush() {
        consume(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]))
        used = 0
    }
}

/// A statement that transactions run again and again; which a connection finds without its text.
enum TransactionStatement: Int, CaseIterable {
    case begin, beginImmediate, beginExclusive
    /// Reads the first page. SQLite before 3.20 reports the table only if a column of it is read.
    case firstPage
    case commit
    case rollback

    var sql: String {
        switch self {
        case .begin: "BEGIN DEFERRED"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .beginExclusive: "BEGIN EXCLUSIVE"
        case .firstPage: "SELECT rowid FROM sqlite_master LIMIT 1"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        }
    }
}
