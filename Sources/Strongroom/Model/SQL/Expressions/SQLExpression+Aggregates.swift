/// The number of rows of a query or of each group.
///
/// ```swift
/// Contact.group { $0.city }.select { ($0.city, RowCount()) }
/// ```
public struct RowCount: SQLExpression {
    /// The number is an `Int`.
    public typealias Value = Int

    /// `count(*)`.
    public var sql: SQL { "count(*)" }

    /// The number of rows.
    public init() {}
}

extension SQLExpression {
    /// The number of rows in which the value is not NULL.
    public func count() -> Computed<Int> { Computed(function: "count", sql) }

    /// The number of distinct values, without NULL.
    public func countDistinct() -> Computed<Int> { Computed("count(DISTINCT \(sql))") }

    /// The smallest value, or nil if there is none.
    public func min() -> Computed<Value.Unwrapped?> { Computed(function: "min", sql, form: sql.form) }

    /// The largest value, or nil if there is none.
    public func max() -> Computed<Value.Unwrapped?> { Computed(function: "max", sql, form: sql.form) }
}

extension SQLExpression where Value: NumericColumnValue {
    /// The sum of the values, or nil if there is none; of small integers it is an `Int`. A sum of integers that exceeds
    /// 64 bits is an error.
    public func sum() -> Computed<Value.Sum?> { Computed(function: "sum", sql) }

    /// The mean of the values, or nil if there is none.
    public func average() -> Computed<Double?> { Computed(function: "avg", sql) }
}

extension SQLExpression {
    /// The value, or a default in place of NULL.
    public static func ?? (left: Self, right: Value.Unwrapped) -> Computed<Value.Unwrapped>
    where Value.Unwrapped: ColumnValue {
        var arguments = SQL(reserving: 64)
        arguments.append(left.sql)
        arguments.append(text: ", ")
        arguments.append { try left.sql.stored(right) }
        return Computed(function: "ifnull", arguments, form: left.sql.form)
    }
}

extension SQLExpression where Value: TextColumnValue {
    /// The text with the letters A to Z in lower case.
    public func lowercased() -> Computed<Value> { Computed(function: "lower", sql) }

    /// The text with the letters a to z in upper case.
    public func uppercased() -> Computed<Value> { Computed(function: "upper", sql) }

    /// The number of Unicode scalars in the text, up to the first NUL.
    public func length() -> Computed<Int?> { Computed(function: "length", sql) }
}
