#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Query {
    /// Keeps the rows that a predicate finds, besides those before it.
    ///
    /// ```swift
    /// let adults = try Contact.where(#Predicate<Contact> { $0.age >= 18 && $0.phone != nil })
    /// ```
    ///
    /// - Parameter predicate: The predicate; see ``Condition/init(_:)-(Predicate<R>)`` for what it can hold.
    /// - Returns: The narrower query.
    /// - Throws: ``StrongroomError`` with `notTranslatable`, at once and not when the query runs, for a part that has
    ///   no counterpart in SQL, and `valueNotStorable` for a captured value that the engine has not.
    public func `where`(_ predicate: Predicate<Source.RecordType>) throws -> Query {
        let condition = try Condition(predicate, Source.schema.columns)
        return self.where { _ in condition }
    }
}

extension Table {
    /// The rows that a predicate finds.
    ///
    /// ```swift
    /// let found = try Contact.where(#Predicate { $0.age >= 18 && $0.name.starts(with: "A") }).fetch(in: db)
    /// ```
    ///
    /// - Parameter predicate: The predicate; see ``Condition/init(_:)-(Predicate<R>)`` for what it can hold.
    /// - Returns: The query.
    /// - Throws: ``StrongroomError`` with `notTranslatable`, at once and not when the query runs, for a part that has
    ///   no counterpart in SQL, and `valueNotStorable` for a captured value that the engine has not.
    public static func `where`(_ predicate: Predicate<RecordType>) throws -> Query<Self> {
        try Query().where(predicate)
    }
}

extension Condition {
    /// Makes a condition from a predicate on a record.
    ///
    /// It finds the rows for which Swift's `evaluate` gives true; nil equals nil and differs from any value, as in
    /// Swift. Three things differ: texts are compared byte by byte, not by the composition of their letters; where
    /// Swift would stop the program, at an overflow or an integer division by zero, the row is usually not found; and
    /// so it is where `evaluate` would throw, at the `!` of a nil.
    ///
    /// Columns, captured values, comparisons, `&&`, `||`, `!`, arithmetic, `??`, optional chaining, `if` and `? :`,
    /// `contains` of arrays, sets, ranges and texts, `starts(with:)` and `isEmpty` are translated.
    ///
    /// ```swift
    /// let isAdult = try Condition(#Predicate<Contact> { $0.age >= 18 })
    /// let adults = Contact.where { isAdult && $0.phone != nil }
    /// ```
    ///
    /// - Parameter predicate: The predicate; ``Record/columnName(of:)`` says which column each property is.
    /// - Throws: ``StrongroomError`` with `notTranslatable` for a part that has no counterpart in SQL, which it names
    ///   together with what to write instead, and `valueNotStorable` for a captured value that the engine has not.
    public init<R: Record>(_ predicate: Predicate<R>) throws {
        try self.init(predicate, (R.self as? any Table.Type)?.schema.columns ?? R.columnDefinitions)
    }

    init<R: Record>(_ predicate: Predicate<R>, _ definitions: [ColumnDefinition]) throws {
        let translation = PredicateTranslation(of: predicate, definitions)
        self.init(try translation.term(predicate.expression).sql)
    }
}
