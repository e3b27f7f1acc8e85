/// A type that the engine can calculate with.
///
/// An integer result beyond 64 bits becomes a floating-point number in the engine, and a division by zero NULL: reading
/// either as an integer is an error, never a wrong number. See "Datatypes In SQLite", section 4
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
    /// The sum; NULL where the right value is.
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " + ", right.sql)
    }
    /// The sum; NULL where the left value is.
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
    /// The difference; NULL where the right value is.
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " - ", right.sql)
    }
    /// The difference; NULL where the left value is.
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
    /// The product; NULL where the right value is.
    public static func * <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " * ", right.sql)
    }
    /// The product; NULL where the left value is.
    public static func * <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(left.sql, " * ", right.sql)
    }

    /// The quotient; of integers without its fraction, NULL when divided by zero.
    public static func / (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " / ", value: right) }
    /// The quotient; of integers without its fraction, NULL when divided by zero.
    public static func / (left: Value, right: Self) -> Computed<Value> { Computed(value: left, " / ", right.sql) }
    /// The quotient; of integers without its fraction, NULL when divided by zero.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " / ", right.sql)
    }
    /// The quotient; of integers without its fraction, NULL when divided by zero; NULL where the right value is.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value?>
    where Other.Value == Value? {
        Computed(left.sql, " / ", right.sql)
    }
    /// The quotient; of integers without its fraction, NULL when divided by zero; NULL where the left value is.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Value == Other.Value? {
        Computed(left.sql, " / ", right.sql)
    }

    /// The negative of the value.
    public static prefix func - (value: Self) -> Computed<Value> { Computed("- \(value.sql)") }
}

extension SQLExpression where Value: NumericColumnValue, Value.Unwrapped: FixedWidthInteger {
    /// The remainder; NULL when divided by zero.
    public static func % (left: Self, right: Value) -> Computed<Value> { Computed(left.sql, " % ", value: right) }
    /// The remainder; NULL when divided by zero.
    public static func % <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value>
    where Other.Value == Value {
        Computed(left.sql, " % ", right.sql)
    }
}
