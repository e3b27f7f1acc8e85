import CSQLCipher
import Foundation

/// The current row of a statement, valid during a closure or an initialiser.
///
/// ```swift
/// init(row: borrowing Row) throws {
///     id = try row[0]
///     name = try row[1]
/// }
/// ```
public struct Row: ~Copyable {
    private let source: Source
    /// The first column of the row in the statement: a join's second record does not begin at 0.
    private let base: Int
    /// The number of columns of a partial row; ``all`` for a full row, which has as many as the statement: that can
    /// change with the schema.
    private let width: Int
    /// More columns than a statement can have.
    private static let all = Int(Int32.max)

    private enum Source {
        case statement(OpaquePointer)
        /// A statement whose columns are in another order than the record's.
        case reordered(UnsafePointer<ColumnOrder.Positions>)
        /// A row that is copied when its table is written to.
        case open(UnsafePointer<OpenRow>)
        case list(UnsafePointer<ValueList>)
        /// The arguments of a function.
        case arguments(FunctionArguments.Values?)
    }

    /// A range of columns of a statement's row; all of them by default.
    ///
    /// - Parameters:
    ///   - statement: Must not be finalized as long as the row is used.
    ///   - base: The first column in the statement.
    ///   - count: The number of columns.
    @inline(__always)
    init(statement: OpaquePointer, from base: Int = 0, count: Int = all) {
        source = .statement(statement)
        self.base = base
        width = count
    }

    /// - Parameter row: Must be retained as long as the row is used.
    init(_ row: UnsafePointer<OpenRow>) {
        source = .open(row)
        base = 0
        width = Self.all
    }

    /// A statement's row, with its columns in the order of a record's.
    ///
    /// - Parameter order: Must be retained as long as the row is used.
    init(statement: OpaquePointer, in order: ColumnOrder) {
        source = order.positions.map { .reordered($0) } ?? .statement(statement)
        base = 0
        width = order.count
    }

    /// - Parameter list: Must not move as long as the row is used.
    init(_ list: UnsafePointer<ValueList>) {
        source = .list(list)
        base = 0
        width = list.pointee.values.count
    }

    /// The arguments of a function; must not be used after its call.
    @usableFromInline
    init(_ arguments: FunctionArguments) {
        source = .arguments(arguments.values)
        base = 0
        width = arguments.count
    }

    /// The number of columns.
    public var count: Int {
        guard width == Self.all, let statement else { return width }
        return Int(sqlite3_column_count(statement))
    }

    /// The name of a column in the statement's result.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Returns: The name, or nil if there is no such column.
    public func name(at index: Int) -> String? {
        guard index >= 0, index < count else { return nil }
        if let statement { return sqlite3_column_name(statement, number(of: index)).map { String(cString: $0) } }
        if case .list(let list) = source { return list.pointee.names[index] }
        return String(index + 1)
    }

    /// Nil for a row that is not a statement's.
    private var statement: OpaquePointer? {
        switch source {
        case .statement(let statement): statement
        case .reordered(let positions): positions.pointee.statement
        case .open(let current): current.pointee.statement
        case .list, .arguments: nil
        }
    }

    /// The number of a column in the statement.
    private func number(of index: Int) -> Int32 {
        if case .reordered(let positions) = source { positions.pointee[index] } else { Int32(clamping: base + index) }
    }

    /// The value of a column.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the stored value does not match the requested type.
    @inlinable
    public subscript<V: ColumnValue>(_ index: Int) -> V {
        get throws { try V(from: self, at: index) }
    }

    /// The value of the column with a name; slower than by index. The case of A to Z is ignored, as in SQL.
    ///
    /// - Parameter name: The column's name in the statement's result.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the stored value does not match the requested type, `sql`
    ///   if no column has the name, or more than one.
    public subscript<V: ColumnValue>(_ name: String) -> V {
        get throws {
            let names = (0..<count).map { self.name(at: $0) ?? "" }
            return try V(from: self, at: ColumnOrder.position(of: name, among: names, sql: sql))
        }
    }

    /// Whether a column is NULL.
    ///
    /// - Throws: ``StrongroomError`` with `invalidArgument` if there is no such column.
    public func isNull(at index: Int) throws -> Bool {
        try isNull(cell(index), at: index)
    }

    /// - Parameter cell: The engine's value object; nil for a row that has none.
    @inline(__always)
    private func isNull(_ cell: OpaquePointer?, at index: Int) throws -> Bool {
        guard (cell.map(sqlite3_value_type) ?? storageClass(index)) == SQLITE_NULL else { return false }
        guard index >= 0, index < count else { throw mismatch(at: index, wanted: "a value") }
        return true
    }

    /// The integer in a column.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no integer.
    public func integer(at index: Int) throws -> Int64 {
        guard let cell = cell(index) else { return try listed(index, "an integer", \.asInteger) }
        return try integer(of: cell, at: index)
    }

    /// The integer in a column, or nil if the column is NULL.
    ///
    /// - Throws: As ``integer(at:)``.
    public func integerIfPresent(at index: Int) throws -> Int64? {
        let cell = cell(index)
        if try isNull(cell, at: index) { return nil }
        guard let cell else { return try integer(at: index) }
        return try integer(of: cell, at: index)
    }

    @inline(__always)
    private func integer(of cell: OpaquePointer, at index: Int) throws -> Int64 {
        guard sqlite3_value_type(cell) == SQLITE_INTEGER else { throw mismatch(at: index, wanted: "an integer") }
        return sqlite3_value_int64(cell)
    }

    /// The number in a column; an integer is accepted if a `Double` represents it exactly.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no number.
    public func real(at index: Int) throws -> Double {
        guard let cell = cell(index) else { return try listed(index, "a number", \.asReal) }
        return try real(of: cell, at: index)
    }

    /// The number in a column, or nil if the column is NULL.
    ///
    /// - Throws: As ``real(at:)``.
    public func realIfPresent(at index: Int) throws -> Double? {
        let cell = cell(index)
        if try isNull(cell, at: index) { return nil }
        guard let cell else { return try real(at: index) }
        return try real(of: cell, at: index)
    }

    @inline(__always)
    private func real(of cell: OpaquePointer, at index: Int) throws -> Double {
        switch sqlite3_value_type(cell) {
        case SQLITE_FLOAT:
            return sqlite3_value_double(cell)
        case SQLITE_INTEGER:
            guard let exact = Double(exactly: sqlite3_value_int64(cell)) else {
                throw mismatch(at: index, wanted: "a number that Double can represent")
            }
            return exact
        default:
            throw mismatch(at: index, wanted: "a number")
        }
    }

    /// The text in a column, including any NUL characters.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no text, or text that is not valid
    ///   UTF-8.
    public func text(at index: Int) throws -> String {
        guard let cell = cell(index) else { return try listed(index, "text", \.asText) }
        return try text(of: cell, at: index)
    }

    /// The text in a column, including any NUL characters, or nil if the column is NULL.
    ///
    /// - Throws: As ``text(at:)``.
    public func textIfPresent(at index: Int) throws -> String? {
        let cell = cell(index)
        if try isNull(cell, at: index) { return nil }
        guard let cell else { return try text(at: index) }
        return try text(of: cell, at: index)
    }

    @inline(__always)
    private func text(of cell: OpaquePointer, at index: Int) throws -> String {
        guard sqlite3_value_type(cell) == SQLITE_TEXT else { throw mismatch(at: index, wanted: "text") }
        guard let start = sqlite3_value_text(cell) else { throw outOfMemory }
        let length = Int(sqlite3_value_bytes(cell))
        // Twice as fast as the validating initialiser; a text that was repaired was not valid UTF-8.
        let text = String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
        guard text.utf8.count == length, text.withCString({ memcmp($0, start, length) }) == 0 else {
            throw mismatch(at: index, wanted: "text in UTF-8", found: "text that is not UTF-8")
        }
        return text
    }

    /// The bytes in a column.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no bytes.
    public func blob(at index: Int) throws -> [UInt8] {
        guard let cell = cell(index) else { return try listed(index, "bytes", \.bytes) }
        return try blob(of: cell, at: index)
    }

    /// The bytes in a column, or nil if the column is NULL.
    ///
    /// - Throws: As ``blob(at:)``.
    public func blobIfPresent(at index: Int) throws -> [UInt8]? {
        let cell = cell(index)
        if try isNull(cell, at: index) { return nil }
        guard let cell else { return try blob(at: index) }
        return try blob(of: cell, at: index)
    }

    @inline(__always)
    private func blob(of cell: OpaquePointer, at index: Int) throws -> [UInt8] {
        guard sqlite3_value_type(cell) == SQLITE_BLOB else { throw mismatch(at: index, wanted: "bytes") }
        // The engine returns a null pointer for an empty blob, and also if an allocation fails.
        guard let start = sqlite3_value_blob(cell) else {
            guard sqlite3_value_bytes(cell) == 0 else { throw outOfMemory }
            return []
        }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(cell))))
    }

    /// The value of a column, of any type.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` for text that is not valid UTF-8, or if there is no such
    ///   column.
    public func value(at index: Int) throws -> SQLValue {
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

    /// The content of a column of a statement's row.
    ///
    /// The bytes of a text are the engine's: they are valid until the row's closure returns, or until the same column
    /// is read in another way.
    ///
    /// - Throws: ``StrongroomError`` with `invalidArgument` if there is no such column; `outOfMemory`.
    package func content(at index: Int) throws -> StoredContent {
        guard index >= 0, index < count, let cell = cell(index) else { throw mismatch(at: index, wanted: "a value") }
        switch sqlite3_value_type(cell) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(cell))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(cell))
        case SQLITE_TEXT:
            guard let start = sqlite3_value_text(cell) else { throw outOfMemory }
            return .text(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(cell))))
        case SQLITE_BLOB: return .blob
        default: return .null
        }
    }

    @inline(__always)
    private func storageClass(_ index: Int) -> Int32 {
        if case .list(let list) = source { return list.pointee.storageClass(index) }
        guard let cell = cell(index) else { return SQLITE_NULL }
        return sqlite3_value_type(cell)
    }

    /// The engine's value object of a column, which provides class, content and length with one lookup of the column. A
    /// column outside the row is NULL; a row that is not a statement's has no value objects.
    ///
    /// The engine permits this as long as no other thread uses the connection ("Column Values",
    /// sqlite.org/c3ref/column_blob.html): the user of a row holds the connection's slot.
    @inline(__always)
    private func cell(_ index: Int) -> OpaquePointer? {
        guard case .statement(let statement) = source else { return cellElsewhere(index) }
        return sqlite3_column_value(statement, isInside(index) ? Int32(truncatingIfNeeded: base &+ index) : -1)
    }

    @inline(__always)
    private func isInside(_ index: Int) -> Bool { UInt(bitPattern: index) < UInt(bitPattern: width) }

    @inline(never)
    private func cellElsewhere(_ index: Int) -> OpaquePointer? {
        let isInside = isInside(index)
        switch source {
        case .statement: return nil
        case .reordered(let positions):
            return sqlite3_column_value(positions.pointee.statement, isInside ? positions.pointee[index] : -1)
        case .open(let current):
            return isInside ? current.pointee.cell(index) : nil
        case .arguments(let values):
            return isInside ? values?[index] : nil
        case .list:
            return nil
        }
    }

    func isNumber(at index: Int) -> Bool { [SQLITE_INTEGER, SQLITE_FLOAT].contains(storageClass(index)) }

    /// The declared scale of the table column that the value comes from; nil for a computed value.
    func declaredScale(at index: Int) -> DecimalScale? {
        declaredType(at: index).flatMap { DecimalScale(declaredType: $0) }
    }

    /// The declared type of the table column that the value comes from; nil for a computed value.
    func declaredType(at index: Int) -> String? {
        guard index >= 0, index < count, let statement else { return nil }
        return sqlite3_column_decltype(statement, number(of: index)).map { String(cString: $0) }
    }

    private func listed<T>(_ index: Int, _ wanted: String, _ content: (SQLValue) -> T?) throws -> T {
        guard case .list(let list) = source, index >= 0, index < count, let found = content(list.pointee.values[index])
        else { throw mismatch(at: index, wanted: wanted) }
        return found
    }
}

extension Row {
    /// The error for a mismatched value: contains the column, the storage class and the expected type, not the value.
    @usableFromInline
    func mismatch(at index: Int, wanted: String) -> StrongroomError {
        mismatch(at: index, wanted: wanted, found: nil, reason: nil)
    }

    /// - Parameters:
    ///   - found: What is there; nil for its storage class.
    ///   - reason: What in the value does not fit; not the value.
    func mismatch(at index: Int, wanted: String, found: String? = nil, reason: String? = nil) -> StrongroomError {
        guard let column = name(at: index) else {
            return StrongroomError(
                .invalidArgument,
                "Column \(index) was requested, but the result has \(count.counting("column")); check the record's "
                    + "column list.",
                sql: sql
            )
        }
        let storageClass =
            switch storageClass(index) {
            case SQLITE_INTEGER: "an integer"
            case SQLITE_FLOAT: "a floating-point number"
            case SQLITE_TEXT: "text"
            case SQLITE_BLOB: "bytes"
            default: "NULL"
            }
        let mismatch = TypeMismatch(column: column, found: found ?? storageClass, wanted: wanted, reason: reason)
        return .typeMismatch(mismatch, sql: sql)
    }

    /// The error for a value that is not in the one spelling of its column: names the spelling that was found, if it is
    /// another one of such a value.
    func mismatch(at index: Int, wanted: String, _ spelling: Spelling) -> StrongroomError {
        let error = mismatch(at: index, wanted: wanted)
        guard let column = error.mismatch?.column, let value = try? value(at: index),
            let found = spelling.description(of: value)
        else { return error }
        return .typeMismatch(
            TypeMismatch(column: column, found: found, wanted: wanted, isOtherSpelling: true), sql: error.sql)
    }

    private var sql: String? { statement.flatMap { sqlite3_sql($0) }.map { String(cString: $0) } }

    private var outOfMemory: StrongroomError {
        StrongroomError(.outOfMemory, "Out of memory while a value was read.", sql: sql)
    }
}
