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

    /// A condition that fails when the statement runs.
    init(failing error: StrongroomError) {
        sql = SQL(failing: error)
    }

    /// - Parameter sql: Already in parentheses, or a function call.
    init(enclosed sql: SQL) {
        self.sql = sql
    }

    /// Two SQL operands with an operator between them.
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

    /// An SQL operand and a value with an operator between them.
    init<V: ColumnValue>(_ left: SQL, _ sign: String, value: V) {
        self.init(left, sign) { try left.compared(with: value, sign) }
    }

    /// An SQL operand and a stored value with an operator between them.
    init(_ left: SQL, _ sign: String, _ stored: () throws -> Strongroom.Value) {
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
