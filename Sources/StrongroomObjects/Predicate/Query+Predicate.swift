#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Strongroom

extension Query {
    /// Adds a predicate as a condition; rows must match all conditions of the query.
    ///
    /// ```swift
    /// let adults = try Contact.where(#Predicate<Contact> { $0.age >= 18 && $0.phone != nil })
    /// ```
    ///
    /// - Parameter predicate: The predicate; see `Condition.init(_:)` for what it can hold.
    /// - Returns: The query with the condition.
    /// - Throws: `StrongroomError` with `notTranslatable`, here and not when the query runs, for an expression that
    ///   has no counterpart in SQL, and `valueNotStorable` for a captured value that the engine cannot store.
    public func `where`(_ predicate: Predicate<Source.RecordType>) throws -> Query {
        let condition = try Condition(predicate, Source.schema.columns)
        return self.where { _ in condition }
    }
}

extension Table {
    /// A query for the rows that match a predicate.
    ///
    /// ```swift
    /// let found = try Contact.where(#Predicate { $0.age >= 18 && $0.name.starts(with: "A") }).fetch(in: db)
    /// ```
    ///
    /// - Parameter predicate: The predicate; see `Condition.init(_:)` for what it can hold.
    /// - Returns: The query.
    /// - Throws: `StrongroomError` with `notTranslatable`, here and not when the query runs, for an expression that
    ///   has no counterpart in SQL, and `valueNotStorable` for a captured value that the engine cannot store.
    public static func `where`(_ predicate: Predicate<RecordType>) throws -> Query<Self> {
        try Query().where(predicate)
    }
}

extension Condition {
    /// Creates a condition from a predicate on a record.
    ///
    /// It matches the rows for which Swift's `evaluate` returns true; as in Swift, nil equals nil and differs from any
    /// value. There are three differences: texts are compared byte by byte, without Unicode normalization; where Swift
    /// would trap, at an overflow or an integer division by zero, the row usually does not match; and the same applies
    /// where `evaluate` would throw, at the `!` of a nil.
    ///
    /// Columns, captured values, comparisons, `&&`, `||`, `!`, arithmetic, `??`, optional chaining, `if` and `? :`,
    /// `contains` of arrays, sets, ranges and texts, `starts(with:)` and `isEmpty` are translated.
    ///
    /// ```swift
    /// let isAdult = try Condition(#Predicate<Contact> { $0.age >= 18 })
    /// let adults = Contact.where { isAdult && $0.phone != nil }
    /// ```
    ///
    /// - Parameter predicate: The predicate; its properties are stored ones of a type with @Table or @Record.
    /// - Throws: `StrongroomError` with `notTranslatable` for an expression that has no counterpart in SQL; the
    ///   message names it and an alternative; and `valueNotStorable` for a captured value that the engine cannot store.
    public init<R: Record>(_ predicate: Predicate<R>) throws {
        try self.init(predicate, (R.self as? any Table.Type)?.schema.columns ?? R._columnDefinitions)
    }

    init<R: Record>(_ predicate: Predicate<R>, _ definitions: [ColumnDefinition]) throws {
        let translation = PredicateTranslation(of: predicate, definitions)
        self.init(try translation.term(predicate.expression).sql)
    }
}
