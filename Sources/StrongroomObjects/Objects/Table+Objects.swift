public import Strongroom

/// Reading the objects of a type from the store that its table names. Each call is a separate transaction.
extension Table {
    /// The objects that match a condition.
    ///
    /// ```swift
    /// let all = try await Contact.all()
    /// let page = try await Contact.all(where: { $0.age >= 18 }, orderBy: { $0.name.ascending }, page: 0, size: 20)
    /// ```
    ///
    /// - Parameters:
    ///   - condition: Makes the condition from the table's columns; nil for all.
    ///   - orderings: Make the orderings; the first has the highest priority, and the key comes last. Without any, the
    ///     order is by key.
    ///   - groups: Make the expressions to group by: of the objects with equal values, the one with the lowest key is
    ///     returned. The condition is applied first.
    ///   - page: The index of the page, from 0.
    ///   - size: The number of objects per page; nil for all of them.
    /// - Returns: The objects.
    /// - Throws: As `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func all(
        where condition: ((Columns) -> Condition)? = nil,
        orderBy orderings: (Columns) -> Ordering...,
        groupBy groups: (Columns) -> any SQLExpression...,
        page: Int = 0,
        size: Int? = nil
    ) async throws -> [RecordType] {
        let asked = try (condition.map { Self.where($0) } ?? Self.query)
            .objects(orderings, groups, page: page, size: size)
        return try await Objects<Self>.read { db in try asked.fetch(in: db) }
    }

    /// The objects that match a predicate text.
    ///
    /// ```swift
    /// let found = try await Contact.all(
    ///     where: "age BETWEEN {18, 30} AND (name BEGINSWITH[c] %@ OR NOT email LIKE '*@example.org')", prefix)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    ///   - orderings: Make the orderings; the first has the highest priority, and the key comes last. Without any, the
    ///     order is by key.
    ///   - groups: Make the expressions to group by: of the objects with equal values, the one with the lowest key is
    ///     returned. The condition is applied first.
    ///   - page: The index of the page, from 0.
    ///   - size: The number of objects per page; nil for all of them.
    /// - Returns: The objects.
    /// - Throws: As `Condition.init(_:_:in:)`, `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func all(
        where format: PredicateFormat,
        _ arguments: (any Sendable)?...,
        orderBy orderings: (Columns) -> Ordering...,
        groupBy groups: (Columns) -> any SQLExpression...,
        page: Int = 0,
        size: Int? = nil
    ) async throws -> [RecordType] {
        let asked = try Self.where(format.with(arguments: arguments)).objects(orderings, groups, page: page, size: size)
        return try await Objects<Self>.read { db in try asked.fetch(in: db) }
    }

    /// The objects of a query.
    ///
    /// - Parameter query: The query.
    /// - Returns: The objects, in the query's order.
    /// - Throws: As `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func all(_ query: Query<Self>) async throws -> [RecordType] {
        try await Objects<Self>.read { db in try query.fetch(in: db) }
    }

    /// The first object that matches a condition.
    ///
    /// - Parameters:
    ///   - condition: Makes the condition from the table's columns; nil for all.
    ///   - orderings: Make the orderings; the first has the highest priority, and the key comes last. Without any, the
    ///     order is by key.
    /// - Returns: The object, or nil if there is none.
    /// - Throws: As `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func first(
        where condition: ((Columns) -> Condition)? = nil, orderBy orderings: (Columns) -> Ordering...
    ) async throws -> RecordType? {
        let asked = try (condition.map { Self.where($0) } ?? Self.query).objects(orderings)
        return try await Objects<Self>.read { db in try asked.first(in: db) }
    }

    /// The first object that matches a predicate text.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    ///   - orderings: Make the orderings; the first has the highest priority, and the key comes last. Without any, the
    ///     order is by key.
    /// - Returns: The object, or nil if there is none.
    /// - Throws: As `Condition.init(_:_:in:)`, `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func first(
        where format: PredicateFormat, _ arguments: (any Sendable)?..., orderBy orderings: (Columns) -> Ordering...
    ) async throws -> RecordType? {
        let asked = try Self.where(format.with(arguments: arguments)).objects(orderings)
        return try await Objects<Self>.read { db in try asked.first(in: db) }
    }

    /// The object with a key.
    ///
    /// - Parameter key: The primary key.
    /// - Returns: The object, or nil if there is none.
    /// - Throws: As `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func find(_ key: Key) async throws -> RecordType? {
        try await Objects<Self>.read { db in try find(key, in: db) }
    }

    /// The number of objects that match a condition.
    ///
    /// - Parameter condition: Makes the condition from the table's columns; nil for all.
    /// - Returns: The number.
    /// - Throws: As `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func count(where condition: ((Columns) -> Condition)? = nil) async throws -> Int {
        let asked = condition.map { Self.where($0) } ?? Self.query
        return try await Objects<Self>.read { db in try asked.count(in: db) }
    }

    /// The number of objects that match a predicate text.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    /// - Returns: The number.
    /// - Throws: As `Condition.init(_:_:in:)`, `Query.fetch(in:)`, `Stores.open` and `Store.read`.
    public static func count(where format: PredicateFormat, _ arguments: (any Sendable)?...) async throws -> Int {
        let asked = try Self.where(format.with(arguments: arguments))
        return try await Objects<Self>.read { db in try asked.count(in: db) }
    }
}
