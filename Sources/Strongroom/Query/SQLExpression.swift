/// SQL that stands for a value of a Swift type: a column, or what is made of columns.
public protocol SQLExpression<Value>: Sendable {
    /// The Swift type of the value.
    associatedtype Value: ColumnValue

    /// The SQL.
    var sql: SQL { get }
}

/// SQL that is true or false for each row.
///
/// Conditions are made from columns with Swift's operators:
///
/// ```swift
/// Contact.where { $0.name.hasPrefix("A") && $0.phone != nil }
/// ```
public struct Condition: SQLExpression, Equatable {
    /// A condition is a Bool.
    public typealias Value = Bool

    /// The SQL, in parentheses.
    public let sql: SQL

    /// Makes a condition from SQL.
    ///
    /// - Parameter sql: The SQL; values are interpolated, as in `"age > \(limit)"`.
    public init(_ sql: SQL) {
        self.sql = "(\(sql))"
    }

    /// Both conditions hold.
    public static func && (left: Condition, right: Condition) -> Condition {
        Condition("\(left.sql) AND \(right.sql)")
    }

    /// At least one of the conditions holds.
    public static func || (left: Condition, right: Condition) -> Condition {
        Condition("\(left.sql) OR \(right.sql)")
    }

    /// The condition does not hold.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition("NOT \(condition.sql)")
    }
}

/// A column and a direction to sort by.
public struct Ordering: Sendable, Equatable {
    let sql: SQL
}

extension SQLExpression {
    /// Smallest first; NULLs come first.
    public var ascending: Ordering { Ordering(sql: "\(sql) ASC") }

    /// Largest first; NULLs come last.
    public var descending: Ordering { Ordering(sql: "\(sql) DESC") }
}
