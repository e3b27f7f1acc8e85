/// A type that supports arithmetic in SQL.
///
/// An integer result that exceeds 64 bits becomes a floating-point number, and division by zero results in NULL:
/// reading either as an integer throws, and never returns a wrong number. See "Datatypes In SQLite", section 4
/// (sqlite.org/datatype3.html).
public protocol NumericColumnValue: ColumnValue {}

extension Int: NumericColumnValue {}
extension Int8: NumericColumnValue {}
extension Int16: NumericColumnValue {}
extension Int32: NumericColumnValue {}
extension Int64: NumericColumnValue {}
extension UInt: NumericColumnValue {}
extension UInt8: NumericColumnValue {}
extension UInt16: NumericColumnValue {}
extension UInt32: NumericColumnValue {}
extension UInt64: NumericColumnValue {}
extension Float: NumericColumnValue {}
extension Double: NumericColumnValue {}
extension Optional: NumericColumnValue where Wrapped: NumericColumnValue {}

extension SQLExpression where Value: NumericColumnValue {
    /// The sum.
    public static func + (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " + ", value: right) }
    /// The sum.
    public static func + (left: Value, right: Self) -> Computed<Value> { Computed(value: left, " + ", right.sql) }
    /// The sum.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " + ", right.sql)
    }
    /// The sum; NULL if the right value is.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " + ", right.sql)
    }
    /// The sum; NULL if the left value is.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(left.sql, " + ", right.sql)
    }

    /// The difference.
    public static func - (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " - ", value: right) }
    /// The difference.
    public static func - (left: Value, right: Self) -> Computed<Value> { Computed(value: left, " - ", right.sql) }
    /// The difference.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " - ", right.sql)
    }
    /// The difference; NULL if the right value is.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " - ", right.sql)
    }
    /// The difference; NULL if the left value is.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(left.sql, " - ", right.sql)
    }

    /// The product.
    public static func * (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " * ", value: right) }
    /// The product.
    public static func * (left: Value, right: Self) -> Computed<Value> { Computed(value: left, " * ", right.sql) }
    /// The product.
    public static func * <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " * ", right.sql)
    }
    /// The product; NULL if the right value is.
    public static func * <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " * ", right.sql)
    }
    /// The product; NULL if the left value is.
    public static func * <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(left.sql, " * ", right.sql)
    }

    /// The quotient; truncated for integers, NULL on division by zero.
    public static func / (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " / ", value: right) }
    /// The quotient; truncated for integers, NULL on division by zero.
    public static func / (left: Value, right: Self) -> Computed<Value> { Computed(value: left, " / ", right.sql) }
    /// The quotient; truncated for integers, NULL on division by zero.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " / ", right.sql)
    }
    /// The quotient; truncated for integers, NULL on division by zero or if the right value is NULL.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " / ", right.sql)
    }
    /// The quotient; truncated for integers, NULL on division by zero or if the left value is NULL.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(left.sql, " / ", right.sql)
    }

    /// The negative of the value.
    public static prefix func - (value: Self) -> Computed<Value> { Computed("- \(value.sql)") }
}

extension SQLExpression where Value: NumericColumnValue, Value.Unwrapped: FixedWidthInteger {
    /// The remainder; NULL on division by zero.
    public static func % (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " % ", value: right) }
    /// The remainder; NULL on division by zero.
    public static func % <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " % ", right.sql)
    }
}
