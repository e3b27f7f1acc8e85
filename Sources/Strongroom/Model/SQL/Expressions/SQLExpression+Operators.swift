extension SQLExpression {
    /// The value is equal; nil stands for NULL.
    public static func == (left: Self, right: Value) -> Condition {
        compare(left, " = ", right, whenNull: " IS NULL")
    }

    /// The value is not equal; with nil: it is not NULL. As in SQL, the condition is never true for a row with NULL.
    public static func != (left: Self, right: Value) -> Condition {
        compare(left, " <> ", right, whenNull: " IS NOT NULL")
    }

    /// The value is smaller.
    public static func < (left: Self, right: Value) -> Condition { Condition(left.sql, " < ", value: right) }

    /// The value is smaller or equal.
    public static func <= (left: Self, right: Value) -> Condition { Condition(left.sql, " <= ", value: right) }

    /// The value is larger.
    public static func > (left: Self, right: Value) -> Condition { Condition(left.sql, " > ", value: right) }

    /// The value is larger or equal.
    public static func >= (left: Self, right: Value) -> Condition { Condition(left.sql, " >= ", value: right) }

    /// The value is between two others, inclusive.
    ///
    /// - Parameters:
    ///   - lower: The smallest value.
    ///   - upper: The largest value; if it is smaller than the lower bound, no value matches.
    /// - Returns: The condition.
    public func isBetween(_ lower: Value, and upper: Value) -> Condition { between(lower, upper) }

    private func between<Bound: ColumnValue>(_ lower: Bound, _ upper: Bound) -> Condition {
        var between = SQL(reserving: 64)
        between.append(sql)
        between.append(text: " BETWEEN ")
        between.append { try sql.compared(with: lower, ">=") }
        between.append(text: " AND ")
        between.append { try sql.compared(with: upper, "<=") }
        return Condition(between)
    }

    /// The value is in a list; an empty list matches nothing, and nil stands for NULL.
    ///
    /// - Parameter values: Any number of values.
    /// - Returns: The condition.
    public func isIn(_ values: some Sequence<Value>) -> Condition {
        let values = Array(values)
        var list: SQL = "\(sql) IN ("
        let present = values.filter { !Self.isNull($0) }
        if present.count <= ListTable.shortest {
            for (index, value) in present.enumerated() {
                if index > 0 { list.append(text: ", ") }
                list.append { try sql.compared(with: value, "=") }
            }
        } else {
            // A statement has a limited number of parameters.
            list.append(table(of: present))
        }
        list.append(text: ")")
        return Condition(present.count < values.count ? "\(list) OR \(sql) IS NULL" : list)
    }

    /// The value is in a range; NULL is in none.
    ///
    /// - Parameter range: The smallest and the largest value.
    /// - Returns: The condition.
    public func isIn(_ range: ClosedRange<Value.Unwrapped>) -> Condition where Value.Unwrapped: Comparable {
        between(range.lowerBound, range.upperBound)
    }

    /// The value is in a range; NULL is in none.
    ///
    /// - Parameter range: The smallest value, and the exclusive upper bound.
    /// - Returns: The condition.
    public func isIn(_ range: Range<Value.Unwrapped>) -> Condition where Value.Unwrapped: Comparable {
        Condition(sql, " >= ", value: range.lowerBound) && Condition(sql, " < ", value: range.upperBound)
    }

    private func table(of values: [Value]) -> SQL {
        do {
            let stored = try values.map { try sql.compared(with: $0, "=") }
            return SQL(listing: stored)
        } catch {
            return SQL(failing: error as? StrongroomError ?? StrongroomError(.valueNotStorable, "\(error)"))
        }
    }

    private static func compare(_ left: Self, _ sign: String, _ right: Value, whenNull: String) -> Condition {
        let sql = left.sql
        guard Value._isNullable else { return Condition(sql, sign, value: right) }
        // A value that cannot be stored is not NULL; it is reported when the statement runs.
        let stored = Result { try right.stored() }
        if case .success(.null) = stored { return Condition("\(sql)\(SQL(verbatim: whenNull))") }
        return sql.form == nil ? Condition(sql, sign, stored.get) : Condition(sql, sign, value: right)
    }

    private static func isNull(_ value: Value) -> Bool {
        // A value that cannot be stored is not NULL; it is reported when the statement runs.
        if case .null? = try? value.stored() { true } else { false }
    }
}

extension SQLExpression {
    /// The two values are equal; unknown if one is NULL.
    public static func == <Other: SQLExpression>(left: Self, right: Other) -> Condition
    where Other.Value.Unwrapped == Value.Unwrapped {
        Condition(left.sql, " = ", right.sql)
    }

    /// The two values are not equal; unknown if one is NULL.
    public static func != <Other: SQLExpression>(left: Self, right: Other) -> Condition
    where Other.Value.Unwrapped == Value.Unwrapped {
        Condition(left.sql, " <> ", right.sql)
    }

    /// The left value is smaller.
    public static func < <Other: SQLExpression>(left: Self, right: Other) -> Condition
    where Other.Value.Unwrapped == Value.Unwrapped {
        Condition(left.sql, " < ", right.sql)
    }

    /// The left value is smaller or equal.
    public static func <= <Other: SQLExpression>(left: Self, right: Other) -> Condition
    where Other.Value.Unwrapped == Value.Unwrapped {
        Condition(left.sql, " <= ", right.sql)
    }

    /// The left value is larger.
    public static func > <Other: SQLExpression>(left: Self, right: Other) -> Condition
    where Other.Value.Unwrapped == Value.Unwrapped {
        Condition(left.sql, " > ", right.sql)
    }

    /// The left value is larger or equal.
    public static func >= <Other: SQLExpression>(left: Self, right: Other) -> Condition
    where Other.Value.Unwrapped == Value.Unwrapped {
        Condition(left.sql, " >= ", right.sql)
    }
}

/// A type that is stored as text and supports text conditions.
public protocol TextColumnValue: ColumnValue {}

extension String: TextColumnValue {}
extension Optional: TextColumnValue where Wrapped: TextColumnValue {}

extension SQLExpression where Value: TextColumnValue {
    /// The text begins with another; case-sensitive, without wildcards.
    ///
    /// - Parameter prefix: The prefix; every text begins with an empty one.
    /// - Returns: The condition.
    public func hasPrefix(_ prefix: String) -> Condition {
        guard !prefix.isEmpty else { return isText }
        return isAtLeast(prefix)
            && Condition("substr(\(bytes), 1, length(CAST(\(prefix) AS BLOB))) = CAST(\(prefix) AS BLOB)")
    }

    /// The text ends with another; case-sensitive, without wildcards.
    ///
    /// - Parameter suffix: The suffix; every text ends with an empty one.
    /// - Returns: The condition.
    public func hasSuffix(_ suffix: String) -> Condition {
        guard !suffix.isEmpty else { return isText }
        return isAtLeast(suffix)
            && Condition("substr(\(bytes), -length(CAST(\(suffix) AS BLOB))) = CAST(\(suffix) AS BLOB)")
    }

    /// The text contains another; case-sensitive, without wildcards.
    ///
    /// - Parameter part: The text to search for; every text contains an empty one.
    /// - Returns: The condition.
    public func contains(_ part: String) -> Condition {
        guard !part.isEmpty else { return isText }
        return Condition("instr(\(bytes), CAST(\(part) AS BLOB)) > 0")
    }

    /// The text as bytes: the engine's text functions stop at a NUL.
    private var bytes: SQL { "CAST(\(sql) AS BLOB)" }

    /// True; unknown for NULL.
    private var isText: Condition { Condition("length(\(bytes)) >= 0") }

    /// Whether the text has at least as many bytes as another, in the encoding of the database; unknown only for NULL.
    /// `substr` also returns NULL for an empty text.
    private func isAtLeast(_ other: String) -> Condition {
        Condition("length(\(bytes)) >= length(CAST(\(other) AS BLOB))")
    }

    /// The text matches a LIKE pattern: `%` matches any text, `_` any character, `\` escapes the next character. The
    /// case of A to Z is ignored.
    ///
    /// See SQLite's documentation, "SQL Language Expressions", section 5 (sqlite.org/lang_expr.html).
    ///
    /// - Parameter pattern: The pattern.
    /// - Returns: The condition.
    public func like(_ pattern: String) -> Condition {
        Condition("\(sql) LIKE \(pattern) ESCAPE '\\'")
    }
}

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
    /// The sum; NULL if one of the values is.
    @_disfavoredOverload
    public static func + <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
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
    /// The difference; NULL if one of the values is.
    @_disfavoredOverload
    public static func - <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
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
    /// The product; NULL if one of the values is.
    @_disfavoredOverload
    public static func * <Other: SQLExpression>(left: Self, right: Other) -> Computed<Value.Unwrapped?>
    where Other.Value.Unwrapped == Value.Unwrapped {
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
