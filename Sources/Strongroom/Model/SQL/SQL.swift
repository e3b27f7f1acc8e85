#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// SQL text and its bound values.
///
/// Interpolated values become parameters, never text, so user input cannot change the statement:
///
/// ```swift
/// let limit = 18
/// let query: SQL = "SELECT name FROM contact WHERE age > \(limit)"
/// ```
///
/// Table and column names are interpolated with `\(name: …)`, which quotes them, and other SQL with `\(sql)`.
public struct SQL: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The text, with a `?` for each value.
    public private(set) var text: String

    /// The values, in the order of their placeholders.
    public private(set) var values: [SQLValue]

    /// The stored form of the result, if it is not that of its type: the scale of a decimal, or the form of a date.
    package var form: StoredForm?

    /// An error, such as that of a value that cannot be stored, which is thrown when the statement runs.
    var defect: StrongroomError? { supplement?.error }

    /// The tables of subqueries, which are prepared before the statement is.
    var requiredTables: [RequiredTable] { supplement?.tables ?? [] }

    var hasSupplement: Bool { supplement != nil }

    // By reference: it is rare, and SQL values are copied often.
    private var supplement: Supplement?

    private final class Supplement: Sendable, Equatable {
        let error: StrongroomError?
        let tables: [RequiredTable]

        init(_ error: StrongroomError?, _ tables: [RequiredTable]) {
            self.error = error
            self.tables = tables
        }

        static func == (left: Supplement, right: Supplement) -> Bool {
            left.error == right.error && left.tables == right.tables
        }
    }

    /// SQL without values.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) {
        self.init(verbatim: value)
    }

    /// SQL with values.
    ///
    /// - Parameter stringInterpolation: The text and the values.
    public init(stringInterpolation: Interpolation) {
        self = stringInterpolation.sql
    }

    // The label is needed: `SQL("\(name)")` would be the literal, whose interpolations are parameters.
    package init(verbatim text: String, _ values: [SQLValue] = []) {
        self.text = text
        self.values = values
    }

    init(failing error: StrongroomError) {
        self.init(verbatim: "")
        supplement = Supplement(error, [])
    }

    /// A query for the values of a list, with a single parameter.
    package init(listing values: [SQLValue]) {
        self.init(verbatim: ListTable.query("?"), [.blob(ListTable.encode(values))])
    }

    package init(reserving bytes: Int) {
        self.init(verbatim: "")
        text.reserveCapacity(bytes)
    }

    package mutating func append(text: String) {
        self.text += text
    }

    package mutating func append(_ other: SQL) {
        text += other.text
        if values.isEmpty { values = other.values } else { values += other.values }
        if let added = other.supplement { supply(added.error, added.tables) }
    }

    package mutating func append<V: ColumnValue>(value: V) {
        append { try value.stored() }
    }

    /// Appends a parameter; an error of its conversion is thrown when the statement runs.
    mutating func append(_ stored: () throws -> SQLValue) {
        text += "?"
        appendValue(stored)
    }

    private mutating func appendValue(_ stored: () throws -> SQLValue) {
        do {
            let value = try stored()
            if values.isEmpty { values = [value] } else { values.append(value) }
        } catch {
            values.append(.null)
            let error = error as? StrongroomError
            fail(error ?? StrongroomError(.valueNotStorable, "The value has no stored form."))
        }
    }

    var withoutParentheses: SQL {
        var sql = self
        sql.text = String(text.dropFirst().dropLast())
        return sql
    }

    /// The SQL in parentheses, with an operator and a parameter after it.
    // At once, since most conditions are created so.
    func enclosed(before sign: String, _ stored: () throws -> SQLValue) -> SQL {
        var sql = self
        sql.form = nil
        sql.text = .joining("(", text, sign, "?)")
        sql.appendValue(stored)
        return sql
    }

    /// Makes the statement throw an error when it runs; the first error counts.
    mutating func fail(_ error: StrongroomError) { supply(error, []) }

    mutating func require(_ table: RequiredTable) { supply(nil, [table]) }

    private mutating func supply(_ error: StrongroomError?, _ tables: [RequiredTable]) {
        let known = requiredTables
        supplement = Supplement(defect ?? error, known + tables.filter { !known.contains($0) })
    }

    /// Collects the segments of a literal.
    public struct Interpolation: StringInterpolationProtocol {
        var sql = SQL(verbatim: "")

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends SQL text.
        public mutating func appendLiteral(_ literal: String) {
            sql.append(text: literal)
        }

        /// Appends a parameter.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V) {
            sql.append(value: value)
        }

        /// Appends a parameter; nil is NULL.
        // Without this overload the compiler warns about every interpolated optional.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V?) {
            sql.append(value: value)
        }

        /// Appends a quoted name.
        public mutating func appendInterpolation(name: String) {
            sql.append(text: Identifier.quote(name))
        }

        /// Appends SQL with its values.
        public mutating func appendInterpolation(_ other: SQL) {
            sql.append(other)
        }

        /// Appends a column, quoted, or another expression.
        ///
        /// ```swift
        /// Contact.where { Condition("\($0.name) GLOB \(pattern)") }
        /// ```
        ///
        /// - Parameter expression: The column or the expression.
        public mutating func appendInterpolation<E: SQLExpression>(_ expression: E) {
            sql.append(expression.sql)
        }
    }
}

/// A table that a subquery reads.
struct RequiredTable: Sendable, Equatable {
    let name: String
    /// Creates the table where it is missing and no migrator would create it.
    let prepare: @Sendable (Connection) throws -> Void

    static func == (left: RequiredTable, right: RequiredTable) -> Bool { left.name == right.name }
}

extension SQL {
    /// The form in which a value after a comparison operator is compared with this expression.
    func compared<V: ColumnValue>(with value: V, _ sign: String) throws -> SQLValue {
        try form?.compared(value, sign) ?? value.stored()
    }

    /// The form in which a value is stored in, or added to, this expression.
    func stored<V: ColumnValue>(_ value: V) throws -> SQLValue {
        try form?.stored(value) ?? value.stored()
    }

    package func inForm(_ form: StoredForm?) -> SQL {
        var copy = self
        copy.form = form
        return copy
    }

    /// Fails for values with two stored forms, which the engine would compare without conversion.
    mutating func requireOneForm(_ left: SQL, _ right: SQL) {
        guard left.form != right.form else { return }
        fail(Self.twoForms(left.form, right.form))
    }

    package static func twoForms(_ left: StoredForm?, _ right: StoredForm?) -> StrongroomError {
        func name(_ form: StoredForm?) -> String { form?.title ?? "the form of its type" }
        return StrongroomError(
            .notTranslatable,
            """
            A value of \(name(left)) is combined with one of \(name(right)), which the engine would combine without \
            conversion; declare the columns with one scale or form, or calculate with the fetched values.
            """)
    }
}

extension SQL.Interpolation {
    /// Appends a parameter: a decimal as the scaled integer that a column stores.
    ///
    /// ```swift
    /// let dear = try db.value("SELECT count(*) FROM receipt WHERE price > \(limit, scale: 2)", as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The number; nil is NULL. If it has more digits than the scale, or exceeds 64 bits, running the
    ///     statement throws ``StrongroomError`` with `valueNotStorable`.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    public mutating func appendInterpolation(_ value: Decimal?, scale: Int) {
        sql.append {
            guard let form = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "A parameter") }
            return try value.map { .integer(try form.stored($0)) } ?? .null
        }
    }
}

extension URL: TextColumnValue {}
