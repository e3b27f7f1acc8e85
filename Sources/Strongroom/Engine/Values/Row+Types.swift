import CSQLCipher

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Row {
    /// The date that a column stores in another form than that of `Date`.
    ///
    /// For records of tables that are declared by hand, and for user SQL:
    ///
    /// ```swift
    /// try db.forEachRow("SELECT max(due) FROM task") { row in print(try row.date(at: 0, as: .iso8601)) }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - form: The form in which the column stores dates.
    /// - Returns: The date.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no date in this form, as the library
    ///   writes it.
    public func date(at index: Int, as form: DateForm) throws -> Date {
        guard let seconds = form.seconds(try value(at: index)) else {
            throw mismatch(at: index, wanted: "a date in the form \(form.name)", .date(form))
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The date that a column stores in another form than that of `Date`, or nil if the column is NULL.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - form: The form in which the column stores dates.
    /// - Returns: The date, or nil.
    /// - Throws: As ``date(at:as:)``.
    public func dateIfPresent(at index: Int, as form: DateForm) throws -> Date? {
        try isNull(at: index) ? nil : date(at: index, as: form)
    }

    /// The value of an expression.
    func value<V: ColumnValue>(at index: Int, form: StoredForm?) throws -> V {
        guard let form else { return try V(from: self, at: index) }
        if V._isNullable, try isNull(at: index) { return try V(from: self, at: index) }
        let found: Any =
            switch form {
            case .decimal(let scale): try decimal(at: index, scale)
            case .date(let form): try date(at: index, as: form)
            }
        guard let value = found as? V else { throw mismatch(at: index, wanted: "\(V.self)") }
        return value
    }
}

extension Bindings {
    /// Binds a date in another form than that of `Date`, as a record does for a column that is declared with the form.
    ///
    /// ```swift
    /// func encode(to bindings: borrowing Bindings) throws {
    ///     try bindings.set(id, at: 0)
    ///     try bindings.set(due, at: 1, as: .iso8601)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The date, rounded to what the form holds; nil is NULL.
    ///   - index: The parameter, counted from 0.
    ///   - form: The form in which the column stores dates.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a date that the form does not have, such as one after
    ///   the year 9999 as text; `invalidArgument` for an index out of range.
    public func set(_ value: Date?, at index: Int, as form: DateForm) throws {
        guard let value else { return try bindNull(at: index) }
        try bind(form.stored(value), at: index)
    }
}

extension Row {
    /// The decimal number that a column stores as a scaled integer.
    ///
    /// For records of tables that are declared by hand, and for user SQL:
    ///
    /// ```swift
    /// try db.forEachRow("SELECT sum(price) FROM receipt") { row in print(try row.decimal(at: 0, scale: 2)) }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    /// - Returns: The number, exactly: 1234 is 12.34 at a scale of 2.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no integer, or if it is declared with
    ///   another scale; `invalidDeclaration` for a scale out of range.
    public func decimal(at index: Int, scale: Int) throws -> Decimal {
        guard let scale = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "A column of a row") }
        return try decimal(at: index, scale)
    }

    /// The decimal number that a column stores as a scaled integer, or nil if the column is NULL.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    /// - Returns: The number, or nil.
    /// - Throws: As ``decimal(at:scale:)``.
    public func decimalIfPresent(at index: Int, scale: Int) throws -> Decimal? {
        try isNull(at: index) ? nil : decimal(at: index, scale: scale)
    }

    func decimal(at index: Int, _ scale: DecimalScale) throws -> Decimal {
        let number = try integer(at: index)
        if let declared = declaredScale(at: index), declared != scale {
            throw mismatch(at: index, wanted: "a decimal of the scale \(scale.digits), not \(declared.digits)")
        }
        return scale.decimal(number)
    }

    /// Whether the column is declared with a scale, so that its integers are decimals.
    package func isScaled(at index: Int) -> Bool { declaredScale(at: index) != nil }

    /// The value of a column for display and export: the decimal digits if it is a scaled integer.
    ///
    /// - Throws: As ``value(at:)``.
    package func valueInDigits(at index: Int) throws -> SQLValue {
        let value = try value(at: index)
        guard case .integer(let number) = value, let scale = declaredScale(at: index) else { return value }
        return .text(scale.plain(number))
    }
}

extension Bindings {
    /// Binds a decimal as a scaled integer, as a record does for a column that is declared with a scale.
    ///
    /// ```swift
    /// func encode(to bindings: borrowing Bindings) throws {
    ///     try bindings.set(id, at: 0)
    ///     try bindings.set(price, at: 1, scale: 2)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The number; nil is NULL.
    ///   - index: The parameter, counted from 0.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for NaN, and for a number that has more digits than the
    ///   scale or exceeds 64 bits; nothing is rounded. `invalidDeclaration` for a scale out of range; `invalidArgument`
    ///   for an index out of range.
    public func set(_ value: Decimal?, at index: Int, scale: Int) throws {
        guard let form = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "A parameter") }
        guard let value else { return try bindNull(at: index) }
        try bind(form.stored(value), at: index)
    }
}

/// The positions of a record's columns in a statement's result, found by name and cached with the statement.
final class ColumnOrder {
    /// The index in the result for each of the record's columns.
    struct Positions {
        let statement: OpaquePointer
        fileprivate let columns: UnsafeMutablePointer<Int32>

        subscript(_ index: Int) -> Int32 { columns[index] }
    }

    let type: ObjectIdentifier
    let count: Int
    /// Nil if the record's columns are the first of the statement, in the same order.
    let positions: UnsafePointer<Positions>?

    init(of names: [String], in type: Any.Type, from statement: OpaquePointer) throws {
        let found = (0..<sqlite3_column_count(statement)).map { index in
            sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
        }
        let sql = sqlite3_sql(statement).map { String(cString: $0) }
        self.type = ObjectIdentifier(type)
        count = names.count
        let columns = try names.map { try Self.position(of: $0, among: found, sql: sql) }
        guard !columns.elementsEqual(names.indices) else {
            positions = nil
            return
        }
        let list = UnsafeMutablePointer<Int32>.allocate(capacity: columns.count)
        list.initialize(from: columns.map { Int32(clamping: $0) }, count: columns.count)
        let positions = UnsafeMutablePointer<Positions>.allocate(capacity: 1)
        positions.initialize(to: Positions(statement: statement, columns: list))
        self.positions = UnsafePointer(positions)
    }

    deinit {
        guard let positions else { return }
        positions.pointee.columns.deallocate()
        positions.deallocate()
    }

    /// The index of the column with a name. The case of A to Z is ignored, as in SQL.
    ///
    /// For `v.name` of a view, the engine before SQLite 3.24 names the column `v.name` instead of `name`: if no column
    /// has the name, the part after the table name is compared.
    ///
    /// - Throws: ``StrongroomError`` with `sql` if no column has the name, or more than one.
    static func position(of name: String, among names: [String], sql: String?) throws -> Int {
        var matches = names.indices.filter { names[$0].isSameName(as: name) }
        if matches.isEmpty {
            matches = names.indices.filter { index in
                columnPart(of: names[index]).map { String($0).isSameName(as: name) } ?? false
            }
        }
        if matches.count == 1 { return matches[0] }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        guard matches.isEmpty else {
            throw StrongroomError(
                .sql, "The result has \(matches.count) columns \"\(name)\" (\(list)); give each its own name with AS.",
                sql: sql)
        }
        throw StrongroomError(
            .sql, "The result has no column \"\(name)\", only \(list); select it, or name it with AS.", sql: sql)
    }

    /// The part after the table name in `v.name`, without its quotation marks.
    private static func columnPart(of name: String) -> Substring? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let part = name[name.index(after: dot)...]
        let marks: [Character: Character] = ["\"": "\"", "`": "`", "[": "]"]
        guard part.count > 2, let first = part.first, let last = marks[first], part.last == last else { return part }
        return part.dropFirst().dropLast()
    }
}

/// The current row of a statement whose rows a closure receives one at a time.
struct OpenRow {
    let statement: OpaquePointer
    /// The copies of the row's values; nil while the row is the statement's.
    var values: UnsafeMutablePointer<OpaquePointer?>?

    /// The value object of a column of the row.
    func cell(_ index: Int) -> OpaquePointer? {
        guard let values else { return sqlite3_column_value(statement, Int32(clamping: index)) }
        return index < Int(sqlite3_column_count(statement)) ? values[index] : nil
    }
}

/// The content of a column where the engine has it, without a copy.
package enum StoredContent {
    case null
    case integer(Int64)
    case real(Double)
    /// In the encoding that the engine converts texts to, UTF-8, which is not validated.
    case text(UnsafeBufferPointer<UInt8>)
    case blob
}

/// A text from the engine, whose bytes need not be valid in its encoding.
struct EncodedText: Hashable {
    enum Encoding: String {
        case utf8 = "UTF-8"
        case utf16Little = "UTF-16le"
        case utf16Big = "UTF-16be"
    }

    let bytes: WipedBytes
    let encoding: Encoding
}
