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
    /// A result that the column's type cannot hold makes the write throw ``StrongroomError`` with `limit`, such as
    /// 255 + 1 for `UInt8`; a column of `Float` gets the nearest one.
    ///
    /// - Parameter expression: The expression; columns in it have their values from before the update.
    /// - Returns: The assignment.
    public func set<E: SQLExpression>(_ expression: E) -> Assignment
    where E.Value.Unwrapped == Value.Unwrapped {
        var sql = expression.sql
        sql.requireOneForm(definition.quoted, sql)
        // Nothing is calculated if it is another column, and any number is a Double.
        if !(expression is any SchemaColumn), Value.Unwrapped.self is any NumericColumnValue.Type,
            Value.Unwrapped.self != Double.self
        {
            sql = sql.fitted(to: Value.Unwrapped.self)
        }
        return Assignment(column: definition.name, value: sql)
    }
}

extension SQL {
    /// The value, or an error if a type cannot hold it.
    fileprivate func fitted<V: ColumnValue>(to type: V.Type) -> SQL {
        var fitted = SQL(reserving: 64)
        fitted.append(text: "\(FitFunction.name)(")
        fitted.append(self)
        fitted.append(text: ", '\(FitFunction.name(of: type))')")
        return fitted
    }
}
