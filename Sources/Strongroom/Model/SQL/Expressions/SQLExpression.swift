/// An SQL expression with a Swift type: a column, or an expression of columns.
public protocol SQLExpression<Value>: Sendable {
    /// The Swift type of the value.
    associatedtype Value: ColumnValue

    /// The SQL.
    var sql: SQL { get }

    /// The column's name, if the expression is a single column of one table.
    var _columnName: String? { get }
}

extension SQLExpression {
    /// Nil: the expression is not a single column.
    public var _columnName: String? { nil }
}

/// SQL that is true or false for each row.
///
/// Conditions are built from columns with Swift's operators:
///
/// ```swift
/// Contact.where { $0.name.hasPrefix("A") && $0.phone != nil }
/// ```
public struct Condition: SQLExpression, Equatable {
    /// A condition is a Bool.
    public typealias Value = Bool

    /// The SQL, in parentheses.
    public let sql: SQL

    /// The operator that joins the parts of the condition, and how deep they are nested by it.
    private var joint = Joint()

    private struct Joint: Equatable {
        var sign = ""
        var depth = 0

        /// The parser of SQLite 3.15 has room for a hundred tokens before a part is complete: three for each level
        /// whose deeper part is the right one.
        static let deepest = 16
    }

    /// Makes a condition from SQL.
    ///
    /// - Parameter sql: The SQL; values are interpolated, as in `"age > \(limit)"`.
    public init(_ sql: SQL) {
        var enclosed = SQL(reserving: sql.text.utf8.count + 2)
        enclosed.append(text: "(")
        enclosed.append(sql)
        enclosed.append(text: ")")
        self.sql = enclosed
    }

    init(failing error: StrongroomError) {
        sql = SQL(failing: error)
    }

    /// - Parameter sql: Already in parentheses, or a function call.
    init(enclosed sql: SQL) {
        self.sql = sql
    }

    package init(_ left: SQL, _ sign: String, _ right: SQL) {
        var sql = SQL(reserving: left.text.utf8.count + sign.utf8.count + right.text.utf8.count + 2)
        sql.append(text: "(")
        sql.append(left)
        sql.append(text: sign)
        sql.append(right)
        sql.append(text: ")")
        sql.requireOneForm(left, right)
        self.sql = sql
    }

    init<V: ColumnValue>(_ left: SQL, _ sign: String, value: V) {
        self.init(left, sign) { try left.compared(with: value, sign) }
    }

    init(_ left: SQL, _ sign: String, _ stored: () throws -> SQLValue) {
        sql = left.enclosed(before: sign, stored)
    }

    /// Both conditions are true.
    public static func && (left: Condition, right: Condition) -> Condition {
        joined(left, " AND ", right)
    }

    /// At least one of the conditions is true.
    public static func || (left: Condition, right: Condition) -> Condition {
        joined(left, " OR ", right)
    }

    /// Many conditions with one operator, as a loop makes them, are nested to a certain depth only; from there on they
    /// follow each other in one pair of parentheses.
    private static func joined(_ left: Condition, _ sign: String, _ right: Condition) -> Condition {
        func part(_ condition: Condition) -> (sql: SQL, depth: Int) {
            guard condition.joint.sign == sign else { return (condition.sql, 0) }
            guard condition.joint.depth >= Joint.deepest else { return (condition.sql, condition.joint.depth) }
            return (condition.sql.withoutParentheses, condition.joint.depth - 1)
        }
        let (left, right) = (part(left), part(right))
        var joined = Condition(left.sql, sign, right.sql)
        joined.joint = Joint(sign: sign, depth: Swift.max(left.depth, right.depth) + 1)
        return joined
    }

    /// The condition is false. If it is unknown because of a NULL, its negation is unknown, too, and the row is not
    /// selected.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition("NOT \(condition.sql)")
    }
}

/// A column or a computed value of type `Bool` or `Bool?`, which is a condition by itself.
///
/// ```swift
/// Contact.where { $0.isActive }
/// Contact.where { $0.isActive && $0.age > 3 }
/// Contact.where { !$0.isActive }
/// ```
///
/// NULL is neither true nor false: neither the column nor its negation selects a row in which it is NULL. An index on
/// the column is used, since the condition is `"isActive" = 1`, or `= 0` for the negation.
public protocol BooleanExpression: SQLExpression where Value.Unwrapped == Bool {}

extension Computed: BooleanExpression where Value.Unwrapped == Bool {}

// The operators are disfavored, so that the solver tries them after those of two conditions: queries of ten conditions
// would otherwise take several times as long to type-check.
extension BooleanExpression {
    @usableFromInline var isTrue: Condition { Condition(sql, " = ", SQL(verbatim: "1")) }

    /// The value is false; unknown for NULL, and the row is then not selected.
    @_disfavoredOverload
    public static prefix func ! (expression: Self) -> Condition {
        Condition(expression.sql, " = ", SQL(verbatim: "0"))
    }

    /// The value and the condition are true.
    @_disfavoredOverload
    public static func && (left: Self, right: Condition) -> Condition { left.isTrue && right }
    /// The condition and the value are true.
    @_disfavoredOverload
    public static func && (left: Condition, right: Self) -> Condition { left && right.isTrue }
    /// Both values are true.
    @_disfavoredOverload
    public static func && <Other: BooleanExpression>(left: Self, right: Other) -> Condition {
        left.isTrue && right.isTrue
    }

    /// The value or the condition is true.
    @_disfavoredOverload
    public static func || (left: Self, right: Condition) -> Condition { left.isTrue || right }
    /// The condition or the value is true.
    @_disfavoredOverload
    public static func || (left: Condition, right: Self) -> Condition { left || right.isTrue }
    /// At least one of the values is true.
    @_disfavoredOverload
    public static func || <Other: BooleanExpression>(left: Self, right: Other) -> Condition {
        left.isTrue || right.isTrue
    }
}

/// A value that the engine computes for each row, or for a group of rows; in a join also a column, which may be NULL.
///
/// ```swift
/// Contact.where { $0.age + 1 > 18 }
/// ```
public struct Computed<Value: ColumnValue>: SQLExpression {
    /// The SQL: in parentheses, a function call, or the name of a column, qualified with its table.
    public let sql: SQL

    /// Makes an expression from SQL.
    ///
    /// - Parameters:
    ///   - sql: The SQL; values are interpolated.
    ///   - type: The Swift type of the result.
    public init(_ sql: SQL, as type: Value.Type = Value.self) {
        self.sql = Condition(sql).sql
    }

    /// - Parameter sql: Already in parentheses, or in need of none; its scale is kept.
    package init(enclosed sql: SQL) {
        self.sql = sql
    }

    init(_ left: SQL, _ sign: String, _ right: SQL) {
        sql = Condition(left, sign, right).sql
    }

    init<V: ColumnValue>(_ left: SQL, _ sign: String, value: V) {
        sql = Condition(left, sign, value: value).sql
    }

    init<V: ColumnValue>(value: V, _ sign: String, _ right: SQL) {
        var sql = SQL(reserving: right.text.utf8.count + sign.utf8.count + 3)
        sql.append(text: "(")
        sql.append(value: value)
        sql.append(text: sign)
        sql.append(right)
        sql.append(text: ")")
        self.sql = sql
    }

    /// - Parameter scale: The stored form of the result, if it is not that of its type.
    package init(function name: String, _ argument: SQL, form: StoredForm? = nil) {
        var sql = SQL(reserving: name.utf8.count + argument.text.utf8.count + 2)
        sql.append(text: name)
        sql.append(text: "(")
        sql.append(argument)
        sql.append(text: ")")
        sql.form = form
        self.sql = sql
    }
}
