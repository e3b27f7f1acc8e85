#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sums of decimals, which the engine calculates exactly where they are stored as scaled integers.
///
/// Of a column without a scale, which is stored as text, a sum is an error when the query is made to run:
/// ``StrongroomError`` with `notTranslatable`. Columns of two scales are refused in the same way.
extension SQLExpression where Value.Unwrapped == Decimal {
    /// The sum of the values, exactly, or nil when there is none; for a column that is declared with a scale.
    ///
    /// ```swift
    /// let total = try Receipt.query.value(in: db) { $0.price.sum() }
    /// ```
    ///
    /// - Returns: The sum. One beyond 64 bits is an error when the query runs: ``StrongroomError`` with `limit`.
    public func sum() -> Computed<Decimal?> {
        guard let scale = sql.scale else { return Computed(enclosed: SQL(failing: Self.unscaled)) }
        return Computed(function: "sum", sql, scale: scale)
    }

    /// The sum; beyond 64 bits an error with `limit`.
    public static func + (left: Self, right: Value) -> Computed<Value> { calculate(left, " + ", right) }
    /// The sum; beyond 64 bits an error with `limit`.
    public static func + (left: Value, right: Self) -> Computed<Value> { calculate(left, " + ", right) }
    /// The sum; beyond 64 bits an error with `limit`.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(enclosed: calculated(left.sql, " + ", right.sql))
    }
    /// The sum; NULL where the right value is.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(enclosed: calculated(left.sql, " + ", right.sql))
    }
    /// The sum; NULL where the left value is.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(enclosed: calculated(left.sql, " + ", right.sql))
    }

    /// The difference; beyond 64 bits an error with `limit`.
    public static func - (left: Self, right: Value) -> Computed<Value> { calculate(left, " - ", right) }
    /// The difference; beyond 64 bits an error with `limit`.
    public static func - (left: Value, right: Self) -> Computed<Value> { calculate(left, " - ", right) }
    /// The difference; beyond 64 bits an error with `limit`.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(enclosed: calculated(left.sql, " - ", right.sql))
    }
    /// The difference; NULL where the right value is.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(enclosed: calculated(left.sql, " - ", right.sql))
    }
    /// The difference; NULL where the left value is.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(enclosed: calculated(left.sql, " - ", right.sql))
    }
}

extension SQLExpression where Value.Unwrapped == Decimal {
    private static var unscaled: StrongroomError {
        StrongroomError(
            .notTranslatable,
            """
            Decimals that are stored as text are summed by no query; declare the column with a scale, or add up the \
            fetched values.
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
        return sql.scaled(expression.sql.scale)
    }

    /// A sum or a difference of integers of one scale.
    ///
    /// Beyond 64 bits the engine goes on with a floating-point number. `abs` of the smallest integer is an error there,
    /// so that such a number is neither compared nor stored.
    private static func calculated(_ left: SQL, _ sign: String, _ right: SQL) -> SQL {
        guard let scale = left.scale ?? right.scale else { return SQL(failing: unscaled) }
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
        sql.requireOneScale(left, right)
        return sql.scaled(scale)
    }
}
