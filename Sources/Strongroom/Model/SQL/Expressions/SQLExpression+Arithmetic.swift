/// A type that supports arithmetic in SQL.
///
/// A quotient and a remainder are NULL on division by zero, so their type is optional. A result has the type of its
/// operands otherwise: reading one that does not fit into it throws, and never returns a wrong number. The engine
/// calculates with 64 bits, and an integer result beyond that becomes a floating-point number. See "Datatypes In
/// SQLite", section 4 (sqlite.org/datatype3.html).
public protocol NumericColumnValue: ColumnValue {
    /// The type of a sum of such values, which may be larger than each of them: by default the type itself, `Int` for
    /// integers of up to 32 bits, and `Double` for `Float`.
    associatedtype Sum: ColumnValue = Self
}

extension Int: NumericColumnValue {}
extension Int8: NumericColumnValue { public typealias Sum = Int }
extension Int16: NumericColumnValue { public typealias Sum = Int }
extension Int32: NumericColumnValue { public typealias Sum = Int }
extension Int64: NumericColumnValue {}
extension UInt: NumericColumnValue {}
extension UInt8: NumericColumnValue { public typealias Sum = Int }
extension UInt16: NumericColumnValue { public typealias Sum = Int }
extension UInt32: NumericColumnValue { public typealias Sum = Int }
extension UInt64: NumericColumnValue {}
extension Float: NumericColumnValue { public typealias Sum = Double }
extension Double: NumericColumnValue {}
extension Optional: NumericColumnValue where Wrapped: NumericColumnValue { public typealias Sum = Wrapped.Sum }

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
    public static func / (left: Self, right: Value) -> Computed<Value.Unwrapped?> {
        Computed(left.sql, " / ", value: right)
    }
    /// The quotient; truncated for integers, NULL on division by zero.
    public static func / (left: Value, right: Self) -> Computed<Value.Unwrapped?> {
        Computed(value: left, " / ", right.sql)
    }
    /// The quotient; truncated for integers, NULL on division by zero or if one of the values is NULL.
    public static func / <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
        Computed(left.sql, " / ", right.sql)
    }

    /// The negative of the value.
    public static prefix func - (value: Self) -> Computed<Value> { Computed("- \(value.sql)") }
}

extension SQLExpression where Value: NumericColumnValue, Value.Unwrapped: FixedWidthInteger {
    /// The remainder; NULL on division by zero.
    public static func % (left: Self, right: Value) -> Computed<Value.Unwrapped?> {
        Computed(left.sql, " % ", value: right)
    }
    /// The remainder; NULL on division by zero or if one of the values is NULL.
    public static func % <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
        Computed(left.sql, " % ", right.sql)
    }
}
