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
    public private(set) var values: [Value]

    /// The stored form of the result, if it is not that of its type: the scale of a decimal, or the form of a date.
    package var form: StoredForm?

    /// An error, such as that of a value that cannot be stored, which is thrown when the statement runs.
    var defect: StrongroomError? { supplement?.error }

    /// The tables of subqueries, which are prepared before the statement is.
    var requiredTables: [RequiredTable] { supplement?.tables ?? [] }

    /// Whether there is a defect, or a required table.
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
    package init(verbatim text: String, _ values: [Value] = []) {
        self.text = text
        self.values = values
    }

    /// SQL that throws an error when it runs.
    init(failing error: StrongroomError) {
        self.init(verbatim: "")
        supplement = Supplement(error, [])
    }

    /// A query for the values of a list, with a single parameter.
    package init(listing values: [Value]) {
        self.init(verbatim: ListTable.query("?"), [.blob(ListTable.encode(values))])
    }

    /// Empty SQL with reserved capacity.
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
    mutating func append(_ stored: () throws -> Value) {
        text += "?"
        appendValue(stored)
    }

    private mutating func appendValue(_ stored: () throws -> Value) {
        do {
            let value = try stored()
            if values.isEmpty { values = [value] } else { values.append(value) }
        } catch {
            values.append(.null)
            let error = error as? StrongroomError
            fail(error ?? StrongroomError(.valueNotStorable, "The value has no stored form."))
        }
    }

    /// The SQL without the parentheses around it.
    var withoutParentheses: SQL {
        var sql = self
        sql.text = String(text.dropFirst().dropLast())
        return sql
    }

    /// The SQL in parentheses, with an operator and a parameter after it.
    // In one piece, since most conditions are made so.
    func enclosed(before sign: String, _ stored: () throws -> Value) -> SQL {
        var sql = self
        sql.form = nil
        sql.text = .joining("(", text, sign, "?)")
        sql.appendValue(stored)
        return sql
    }

    /// Makes the statement throw an error when it runs; the first error counts.
    mutating func fail(_ error: StrongroomError) { supply(error, []) }

    /// Has a table prepared before the statement is.
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
