/// A sort term: a column or an expression, a direction, and the position of NULLs.
///
/// ```swift
/// Contact.order { $0.phone.ascending.nullsLast }
/// ```
public struct Ordering: Sendable, Equatable, Refinable {
    let expression: SQL
    let column: String?
    /// Whether equal values can have different stored forms, so that a record does not determine the position of its
    /// row.
    let isCoded: Bool
    let isDescending: Bool
    private(set) var hasNullsLast: Bool

    /// A term that fails when the statement runs.
    init(failing error: StrongroomError) {
        self.init(SQL(failing: error), column: nil, descending: false)
    }

    init(_ expression: SQL, column: String?, isCoded: Bool = false, descending: Bool) {
        self.expression = expression
        self.column = column
        self.isCoded = isCoded
        isDescending = descending
        hasNullsLast = descending
    }

    /// The same ordering with the NULLs before all values.
    public var nullsFirst: Ordering {
        refined { $0.hasNullsLast = false }
    }

    /// The same ordering with the NULLs after all values.
    public var nullsLast: Ordering {
        refined { $0.hasNullsLast = true }
    }

    /// The SQL. The position of NULLs is written as a separate term if it is not the engine's default: `NULLS LAST`
    /// requires SQLite 3.30.
    var sql: SQL {
        var sql = SQL(reserving: 64)
        if hasNullsLast != isDescending {
            sql.append(expression)
            sql.append(text: hasNullsLast ? " IS NULL, " : " IS NOT NULL, ")
        }
        sql.append(expression)
        sql.append(text: isDescending ? " DESC" : " ASC")
        return sql
    }

    /// The condition for rows that are sorted after a value; nil if there can be none.
    func isBehind(_ value: SQLValue) -> Condition? {
        if value == .null {
            return hasNullsLast ? nil : Condition("\(expression) IS NOT NULL")
        }
        let beyond = Condition(expression, isDescending ? " < " : " > ", value: value)
        return hasNullsLast ? beyond || Condition("\(expression) IS NULL") : beyond
    }

    /// The condition for rows with the same value.
    func isLevel(with value: SQLValue) -> Condition {
        value == .null ? Condition("\(expression) IS NULL") : Condition(expression, " = ", value: value)
    }
}

extension SQLExpression {
    /// Smallest first; NULLs come first, unless ``Ordering/nullsLast`` is used.
    public var ascending: Ordering { Ordering(sql, column: _columnName, isCoded: Self.isCoded, descending: false) }

    /// Largest first; NULLs come last, unless ``Ordering/nullsFirst`` is used.
    public var descending: Ordering { Ordering(sql, column: _columnName, isCoded: Self.isCoded, descending: true) }

    private static var isCoded: Bool { Value.Unwrapped.self is any CodedColumnValue.Type }
}

/// Collects the orderings of a query's closure: one, a tuple, an array, or several lines, also with `if` and `for`.
///
/// ```swift
/// Contact.order { ($0.city.ascending, $0.name.descending) }
/// Contact.order { contact in
///     if byCity { contact.city.ascending }
///     contact.name.ascending
/// }
/// ```
@resultBuilder
public enum OrderingBuilder {
    /// One ordering.
    public static func buildExpression(_ ordering: Ordering) -> [Ordering] { [ordering] }

    /// An array of orderings.
    public static func buildExpression(_ orderings: [Ordering]) -> [Ordering] { orderings }

    /// Two orderings.
    public static func buildExpression(_ orderings: (Ordering, Ordering)) -> [Ordering] {
        [orderings.0, orderings.1]
    }

    /// Three orderings.
    public static func buildExpression(_ orderings: (Ordering, Ordering, Ordering)) -> [Ordering] {
        [orderings.0, orderings.1, orderings.2]
    }

    /// Four orderings.
    public static func buildExpression(_ orderings: (Ordering, Ordering, Ordering, Ordering)) -> [Ordering] {
        [orderings.0, orderings.1, orderings.2, orderings.3]
    }

    /// All lines.
    public static func buildBlock(_ parts: [Ordering]...) -> [Ordering] { Array(parts.joined()) }

    /// An `if` without `else`.
    public static func buildOptional(_ part: [Ordering]?) -> [Ordering] { part ?? [] }

    /// The first branch of an `if`.
    public static func buildEither(first part: [Ordering]) -> [Ordering] { part }

    /// The second branch of an `if`.
    public static func buildEither(second part: [Ordering]) -> [Ordering] { part }

    /// A `for`.
    public static func buildArray(_ parts: [[Ordering]]) -> [Ordering] { Array(parts.joined()) }
}
