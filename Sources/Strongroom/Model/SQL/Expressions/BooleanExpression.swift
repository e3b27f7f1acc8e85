/// A column or a computed value of type `Bool` or `Bool?`, which is a condition by itself.
///
/// ```swift
/// Contact.where { $0.isActive }
/// Contact.where { $0.isActive && $0.age > 3 }
/// Contact.where { !$0.isActive }
/// ```
///
/// NULL is neither true nor false: neither the column nor its negation selects a row in which it is NULL. An index on
/// the column is used, since the condition is `"isActive" = 1`, or `= 0` for the negation.
public protocol BooleanExpression: SQLExpression where Value.Unwrapped == Bool {}

extension Computed: BooleanExpression where Value.Unwrapped == Bool {}

// The operators are disfavored, so that the solver tries them after those of two conditions: queries of ten conditions
// would otherwise take several times as long to type-check.
extension BooleanExpression {
    /// The condition that the value is true.
    @usableFromInline var isTrue: Condition { Condition(sql, " = ", SQL(verbatim: "1")) }

    /// The value is false; unknown for NULL, and the row is then not selected.
    @_disfavoredOverload
    public static prefix func ! (expression: Self) -> Condition {
        Condition(expression.sql, " = ", SQL(verbatim: "0"))
    }

    /// The value and the condition are true.
    @_disfavoredOverload
    public static func && (left: Self, right: Condition) -> Condition { left.isTrue && right }
    /// The condition and the value are true.
    @_disfavoredOverload
    public static func && (left: Condition, right: Self) -> Condition { left && right.isTrue }
    /// Both values are true.
    @_disfavoredOverload
    public static func && <Other: BooleanExpression>(left: Self, right: Other) -> Condition {
        left.isTrue && right.isTrue
    }

    /// The value or the condition is true.
    @_disfavoredOverload
    public static func || (left: Self, right: Condition) -> Condition { left.isTrue || right }
    /// The condition or the value is true.
    @_disfavoredOverload
    public static func || (left: Condition, right: Self) -> Condition { left || right.isTrue }
    /// At least one of the values is true.
    @_disfavoredOverload
    public static func || <Other: BooleanExpression>(left: Self, right: Other) -> Condition {
        left.isTrue || right.isTrue
    }
}
