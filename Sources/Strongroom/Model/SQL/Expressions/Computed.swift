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
