import CSQLCipher

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The row that a statement stands on, lent for the length of a closure or an initialiser.
///
/// ```swift
/// init(row: borrowing Row) throws {
///     id = try row[0]
///     name = try row[1]
/// }
/// ```
public struct Row: ~Copyable {
    private let source: Source
    /// The column of the statement at which the row begins: a join's second record does not begin at 0.
    private let base: Int
    /// The number of columns of a part; a whole row has as many as the statement, which can change with the schema.
    private let width: Int

    private enum Source {
        case statement(OpaquePointer)
        /// A statement whose columns stand in another order than the record's.
        case reordered(UnsafePointer<ColumnOrder.Positions>)
        case list(UnsafePointer<ValueList>)
    }

    @usableFromInline
    init(_ statement: borrowing Statement) {
        source = .statement(statement.pointer)
        base = 0
        width = .max
    }

    /// A part of a statement's row.
    ///
    /// - Parameters:
    ///   - base: The statement's column that is the part's first.
    ///   - count: The number of columns.
    @usableFromInline
    init(_ statement: borrowing Statement, from base: Int, count: Int) {
        source = .statement(statement.pointer)
        self.base = base
        width = count
    }

    /// A statement's row with its columns in the order of a record's.
    ///
    /// - Parameter order: Must be kept as long as the row is used.
    init(_ statement: borrowing Statement, in order: ColumnOrder) {
        source = order.positions.map { .reordered($0) } ?? .statement(statement.pointer)
        base = 0
        width = order.count
    }

    /// - Parameter list: Must stay where it is as long as the row is used.
    init(_ list: UnsafePointer<ValueList>) {
        source = .list(list)
        base = 0
        width = list.pointee.values.count
    }

    /// The number of columns.
    public var count: Int {
        guard width == .max, case .statement(let statement) = source else { return width }
        return Int(sqlite3_column_count(statement))
    }

    /// The name of a column, as the statement gives it.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Returns: The name, or nil where there is no such column.
    public func name(at index: Int) -> String? {
        guard index >= 0, index < count else { return nil }
        switch source {
        case .statement(let statement):
            return sqlite3_column_name(statement, Int32(clamping: base + index)).map { String(cString: $0) }
        case .reordered(let positions):
            let column = positions.pointee[index]
            return sqlite3_column_name(positions.pointee.statement, column).map { String(cString: $0) }
        case .list(let list):
            return list.pointee.names[index]
        }
    }

    /// The value of a column.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``StrongroomError`` with `typeMismatch` when what is stored does not fit the type that is wanted.
    @inlinable
    public subscript<V: ColumnValue>(_ index: Int) -> V {
        get throws { try V(from: self, at: index) }
    }

    /// The value of the column with a name; slower than by index. The case of the letters A to Z does not count, as in
    /// SQL.
    ///
    /// - Parameter name: The column's name, as the statement gives it.
    /// - Throws: ``StrongroomError`` with `typeMismatch` when what is stored does not fit, `sql` when there is no such
    ///   column, or more than one.
    public subscript<V: ColumnValue>(_ name: String) -> V {
        get throws {
            let names = (0..<count).map { self.name(at: $0) ?? "" }
            return try V(from: self, at: ColumnOrder.position(of: name, among: names, sql: sql))
        }
    }

    /// Whether a column is NULL.
    ///
    /// - Throws: ``StrongroomError`` with `limit` when there is no such column.
    public func isNull(at index: Int) throws -> Bool {
        guard storageClass(index) == SQLITE_NULL else { return false }
        guard index >= 0, index < count else { throw mismatch(at: index, wanted: "a value") }
        return true
    }

    /// The integer in a column.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` when the column holds no integer.
    public func integer(at index: Int) throws -> Int64 {
        guard let cell = cell(index) else { return try listed(index, "an integer", \.asInteger) }
        guard sqlite3_value_type(cell) == SQLITE_INTEGER else { throw mismatch(at: index, wanted: "an integer") }
        return sqlite3_value_int64(cell)
    }

    /// The number in a column; an integer counts where a `Double` holds it exactly.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` when the column holds no number.
    public func real(at index: Int) throws -> Double {
        guard let cell = cell(index) else { return try listed(index, "a number", \.asReal) }
        switch sqlite3_value_type(cell) {
        case SQLITE_FLOAT:
            return sqlite3_value_double(cell)
        case SQLITE_INTEGER:
            guard let exact = Double(exactly: sqlite3_value_int64(cell)) else {
                throw mismatch(at: index, wanted: "a number that Double holds exactly")
            }
            return exact
        default:
            throw mismatch(at: index, wanted: "a number")
        }
    }

    /// The text in a column, with the NULs in it.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` when the column holds no text or text that is no UTF-8.
    public func text(at index: Int) throws -> String {
        guard let cell = cell(index) else { return try listed(index, "text", \.asText) }
        guard sqlite3_value_type(cell) == SQLITE_TEXT else { throw mismatch(at: index, wanted: "text") }
        guard let start = sqlite3_value_text(cell) else { throw outOfMemory }
        let length = Int(sqlite3_value_bytes(cell))
        // Twice as fast as the initialiser that validates; what had to be repaired was no UTF-8.
        let text = String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
        guard text.utf8.count == length, text.withCString({ memcmp($0, start, length) }) == 0 else {
            throw mismatch(at: index, wanted: "text in UTF-8")
        }
        return text
    }

    /// The bytes in a column.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` when the column holds no bytes.
    public func blob(at index: Int) throws -> [UInt8] {
        guard let cell = cell(index) else { return try listed(index, "bytes", \.asBlob) }
        guard sqlite3_value_type(cell) == SQLITE_BLOB else { throw mismatch(at: index, wanted: "bytes") }
        // The engine answers with a null pointer for no bytes, and also when memory is short.
        guard let start = sqlite3_value_blob(cell) else {
            guard sqlite3_value_bytes(cell) == 0 else { throw outOfMemory }
            return []
        }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(cell))))
    }

    /// The value of a column, whatever it is.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` for text that is no UTF-8 or a column that is not there.
    public func value(at index: Int) throws -> Value {
        switch storageClass(index) {
        case SQLITE_INTEGER: return .integer(try integer(at: index))
        case SQLITE_FLOAT: return .real(try real(at: index))
        case SQLITE_TEXT: return .text(try text(at: index))
        case SQLITE_BLOB: return .blob(try blob(at: index))
        default:
            guard try isNull(at: index) else { throw mismatch(at: index, wanted: "a value") }
            return .null
        }
    }

    @inline(__always)
    private func storageClass(_ index: Int) -> Int32 {
        if case .list(let list) = source { return list.pointee.storageClass(index) }
        return sqlite3_value_type(cell(index))
    }

    /// The engine's value of a column, from which class, content and length are had without looking the column up for
    /// each; that of a column that is not the row's is NULL, and a row that is no statement's has none.
    ///
    /// The engine allows that while no other thread uses the connection ("Column Values",
    /// sqlite.org/c3ref/column_blob.html), and
    /// whoever has the row holds the connection's slot.
    @inline(__always)
    private func cell(_ index: Int) -> OpaquePointer? {
        let isInside = UInt(bitPattern: index) < UInt(bitPattern: width)
        switch source {
        case .statement(let statement):
            return sqlite3_column_value(statement, isInside ? Int32(clamping: base &+ index) : -1)
        case .reordered(let positions):
            return sqlite3_column_value(positions.pointee.statement, isInside ? positions.pointee[index] : -1)
        case .list:
            return nil
        }
    }

    /// The scale of the column of a table that the value comes from; nil for what the engine computes.
    func declaredScale(at index: Int) -> DecimalScale? {
        guard index >= 0, index < count else { return nil }
        let type: UnsafePointer<CChar>?
        switch source {
        case .statement(let statement): type = sqlite3_column_decltype(statement, Int32(clamping: base + index))
        case .reordered(let positions):
            type = sqlite3_column_decltype(positions.pointee.statement, positions.pointee[index])
        case .list: return nil
        }
        return type.flatMap { DecimalScale(declaredType: String(cString: $0)) }
    }

    private func listed<T>(_ index: Int, _ wanted: String, _ content: (Value) -> T?) throws -> T {
        guard case .list(let list) = source, index >= 0, index < count, let found = content(list.pointee.values[index])
        else { throw mismatch(at: index, wanted: wanted) }
        return found
    }
}

extension Row {
    /// The error for a value that does not fit: names the column, what was there and what was wanted, not the value.
    @usableFromInline
    func mismatch(at index: Int, wanted: String) -> StrongroomError {
        guard let column = name(at: index) else {
            return StrongroomError(
                .limit,
                "Column \(index) was asked for, but the result has \(count); check the record's column list.",
                sql: sql
            )
        }
        let found =
            switch storageClass(index) {
            case SQLITE_INTEGER: "an integer"
            case SQLITE_FLOAT: "a floating-point number"
            case SQLITE_TEXT: "text"
            case SQLITE_BLOB: "bytes"
            default: "NULL"
            }
        return .typeMismatch(TypeMismatch(column: column, found: found, wanted: wanted), sql: sql)
    }

    private var sql: String? {
        switch source {
        case .statement(let statement): sqlite3_sql(statement).map { String(cString: $0) }
        case .reordered(let positions): sqlite3_sql(positions.pointee.statement).map { String(cString: $0) }
        case .list: nil
        }
    }

    private var outOfMemory: StrongroomError {
        StrongroomError(.outOfMemory, "Memory ran out while a value was read.", sql: sql)
    }
}
