public import Strongroom

extension Condition {
    /// Makes a condition from a text.
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
    ///   column, `notTranslatable` for what the engine cannot do, and `valueNotStorable` for an argument that the
    ///   engine has not.
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
    /// Keeps the rows for which a text holds, besides those before it.
    ///
    /// ```swift
    /// let adults = try Contact.order { $0.name.ascending }.where("age >= %d", limit)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    /// - Returns: The narrower query.
    /// - Throws: As `Condition.init(_:_:in:)`, at once and not when the query runs.
    public func `where`(_ format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Query {
        let condition = try Condition(format.with(arguments: arguments), of: Source.self)
        return self.where { _ in condition }
    }
}

extension Table {
    /// The rows for which a text holds, as a query to refine or to run.
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
    /// - Throws: As `Condition.init(_:_:in:)`, at once and not when the query runs.
    public static func `where`(_ format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Query<Self> {
        let condition = try Condition(format.with(arguments: arguments), of: Self.self)
        return Query().where { _ in condition }
    }
}
