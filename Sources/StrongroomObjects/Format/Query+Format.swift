public import Strongroom

extension Condition {
    /// Creates a condition from a predicate text.
    ///
    /// ```swift
    /// let isAdult = try Condition("age >= %d", limit, in: Contact.self)
    /// let adults = Contact.where { isAdult && $0.phone != nil }
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    ///   - table: The table whose properties the text names.
    /// - Throws: `StrongroomError` with `invalidPredicate` for a mistake in the text or in the arguments, with its
    ///   column, `notTranslatable` for an operation that the engine does not support, and `valueNotStorable` for an
    ///   argument that the engine cannot store.
    public init<Source: Table>(
        _ format: PredicateFormat, _ arguments: (any Sendable)?..., in table: Source.Type
    ) throws {
        try self.init(format.with(arguments: arguments), of: table)
    }

    init<Source: Table>(_ format: PredicateFormat, of table: Source.Type) throws {
        let memory = FormatMemory.shared
        let translation = FormatTranslation(
            parsed: try memory.parsed(format.text), tableName: Source.schema.name,
            properties: memory.properties(of: table), arguments: format.arguments, interpolations: format.interpolations
        )
        self = try translation.condition()
    }
}

extension Query {
    /// Adds a condition from a predicate text; rows must match all conditions of the query.
    ///
    /// ```swift
    /// let adults = try Contact.order { $0.name.ascending }.where("age >= %d", limit)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    /// - Returns: The query with the condition.
    /// - Throws: As `Condition.init(_:_:in:)`, here and not when the query runs.
    public func `where`(_ format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Query {
        let condition = try Condition(format.with(arguments: arguments), of: Source.self)
        return self.where { _ in condition }
    }
}

extension Table {
    /// A query for the rows that match a predicate text.
    ///
    /// ```swift
    /// let found = try Contact.where(
    ///     "age BETWEEN {18, 30} AND (name BEGINSWITH[c] %@ OR NOT email LIKE '*@example.org')", prefix
    /// ).fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    /// - Returns: The query.
    /// - Throws: As `Condition.init(_:_:in:)`, here and not when the query runs.
    public static func `where`(_ format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Query<Self> {
        let condition = try Condition(format.with(arguments: arguments), of: Self.self)
        return Query().where { _ in condition }
    }
}
