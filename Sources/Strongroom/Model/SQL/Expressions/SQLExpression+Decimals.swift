#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sums of decimals, which the engine computes exactly if they are stored as scaled integers.
///
/// For a column without a scale, which is stored as text, building the query throws ``StrongroomError`` with
/// `notTranslatable`. The same applies to columns with different scales.
extension SQLExpression where Value.Unwrapped == Decimal {
    /// The exact sum of the values, or nil if there is none; for a column that is declared with a scale.
    ///
    /// ```swift
    /// let total = try Receipt.query.value(in: db) { $0.price.sum() }
    /// ```
    ///
    /// - Returns: The sum. If it exceeds 64 bits, running the query throws ``StrongroomError`` with `limit`.
    public func sum() -> Computed<Decimal?> {
        guard let form = sql.form else { return Computed(enclosed: SQL(failing: Self.unscaled)) }
        return Computed(function: "sum", sql, form: form)
    }

    /// The sum; an error with `limit` if it exceeds 64 bits.
    public static func + (left: Self, right: Value) -> Computed<Value> { calculate(left, " + ", right) }
    /// The sum; an error with `limit` if it exceeds 64 bits.
    public static func + (left: Value, right: Self) -> Computed<Value> { calculate(left, " + ", right) }
    /// The sum; an error with `limit` if it exceeds 64 bits.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(enclosed: calculated(left.sql, " + ", right.sql))
    }
    /// The sum; NULL if one of the values is.
    @_disfavoredOverload
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
        Computed(enclosed: calculated(left.sql, " + ", right.sql))
    }

    /// The difference; an error with `limit` if it exceeds 64 bits.
    public static func - (left: Self, right: Value) -> Computed<Value> { calculate(left, " - ", right) }
    /// The difference; an error with `limit` if it exceeds 64 bits.
    public static func - (left: Value, right: Self) -> Computed<Value> { calculate(left, " - ", right) }
    /// The difference; an error with `limit` if it exceeds 64 bits.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(enclosed: calculated(left.sql, " - ", right.sql))
    }
    /// The difference; NULL if one of the values is.
    @_disfavoredOverload
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
        Computed(enclosed: calculated(left.sql, " - ", right.sql))
    }
}

extension SQLExpression where Value.Unwrapped == Decimal {
    private static var unscaled: StrongroomError {
        StrongroomError(
            .notTranslatable,
            """
            Decimals that are stored as text cannot be summed by a query; declare the column with a scale, or \
            add up the fetched values.
            """)
    }

    private static func calculate(_ left: Self, _ sign: String, _ right: Value) -> Computed<Value> {
        Computed(enclosed: calculated(left.sql, sign, parameter(right, like: left)))
    }

    private static func calculate(_ left: Value, _ sign: String, _ right: Self) -> Computed<Value> {
        Computed(enclosed: calculated(parameter(left, like: right), sign, right.sql))
    }

    private static func parameter(_ value: Value, like expression: Self) -> SQL {
        var sql = SQL(reserving: 1)
        sql.append { try expression.sql.stored(value) }
        return sql.inForm(expression.sql.form)
    }

    /// The sum or difference of two integers with one scale.
    ///
    /// If the result exceeds 64 bits, the engine continues with a floating-point number. `abs` of the smallest integer
    /// then raises an error, so that such a number is neither compared nor stored.
    private static func calculated(_ left: SQL, _ sign: String, _ right: SQL) -> SQL {
        guard let form = left.form ?? right.form else { return SQL(failing: unscaled) }
        var result = SQL(reserving: 64)
        result.append(left)
        result.append(text: sign)
        result.append(right)
        var sql = SQL(reserving: 192)
        sql.append(text: "(")
        sql.append(result)
        sql.append(text: " + abs(CASE typeof(")
        sql.append(result)
        sql.append(text: ") WHEN 'real' THEN -9223372036854775807 - 1 ELSE 0 END))")
        sql.requireOneForm(left, right)
        return sql.inForm(form)
    }
}
