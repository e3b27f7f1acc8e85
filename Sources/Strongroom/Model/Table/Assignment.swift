/// An assignment of a value to a column.
///
/// ```swift
/// try Contact.where { $0.city == "Bonn" }.update(in: db) { [$0.city.set("Köln"), $0.moves.set($0.moves + 1)] }
/// ```
public struct Assignment: Sendable {
    let column: String
    let value: SQL
}

extension Column {
    /// Sets the column to a value.
    ///
    /// - Parameter value: The value; nil is NULL.
    /// - Returns: The assignment.
    public func set(_ value: Value) -> Assignment {
        var sql = SQL(reserving: 1)
        sql.append { try definition.quoted.stored(value) }
        return Assignment(column: definition.name, value: sql)
    }

    /// Sets the column to an expression of the row.
    ///
    /// - Parameter expression: The expression; columns in it have their values from before the update.
    /// - Returns: The assignment.
    public func set<E: SQLExpression>(_ expression: E) -> Assignment
    where E.Value.Unwrapped == Value.Unwrapped {
        var sql = expression.sql
        sql.requireOneForm(definition.quoted, sql)
        return Assignment(column: definition.name, value: sql)
    }
}
