public import Strongroom

/// Reading the objects of a type, for code that is not async, such as a transaction's closure.
extension Table {
    /// The objects that match a condition.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
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
    /// - Throws: As `Query.fetch(in:)`; `StrongroomError` with `otherStore`, `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.all()")
    public static func all(
        where condition: ((Columns) -> Condition)? = nil,
        orderBy orderings: (Columns) -> Ordering...,
        groupBy groups: (Columns) -> any SQLExpression...,
        page: Int = 0,
        size: Int? = nil
    ) throws -> [RecordType] {
        let asked = try (condition.map { Self.where($0) } ?? Self.query)
            .objects(orderings, groups, page: page, size: size)
        return try Objects<Self>.readNow { db in try asked.fetch(in: db) }
    }

    /// The objects that match a predicate text.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
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
    /// - Throws: As `Condition.init(_:_:in:)` and `Query.fetch(in:)`; `StrongroomError` with `otherStore`,
    ///   `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.all(where: …)")
    public static func all(
        where format: PredicateFormat,
        _ arguments: (any Sendable)?...,
        orderBy orderings: (Columns) -> Ordering...,
        groupBy groups: (Columns) -> any SQLExpression...,
        page: Int = 0,
        size: Int? = nil
    ) throws -> [RecordType] {
        let asked = try Self.where(format.with(arguments: arguments)).objects(orderings, groups, page: page, size: size)
        return try Objects<Self>.readNow { db in try asked.fetch(in: db) }
    }

    /// The objects of a query.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameter query: The query.
    /// - Returns: The objects, in the query's order.
    /// - Throws: As `Query.fetch(in:)`; `StrongroomError` with `otherStore`, `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.all(query)")
    public static func all(_ query: Query<Self>) throws -> [RecordType] {
        try Objects<Self>.readNow { db in try query.fetch(in: db) }
    }

    /// The first object that matches a condition.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - condition: Makes the condition from the table's columns; nil for all.
    ///   - orderings: Make the orderings; the first has the highest priority, and the key comes last. Without any, the
    ///     order is by key.
    /// - Returns: The object, or nil if there is none.
    /// - Throws: As `Query.fetch(in:)`; `StrongroomError` with `otherStore`, `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.first()")
    public static func first(
        where condition: ((Columns) -> Condition)? = nil, orderBy orderings: (Columns) -> Ordering...
    ) throws -> RecordType? {
        let asked = try (condition.map { Self.where($0) } ?? Self.query).objects(orderings)
        return try Objects<Self>.readNow { db in try asked.first(in: db) }
    }

    /// The first object that matches a predicate text.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    ///   - orderings: Make the orderings; the first has the highest priority, and the key comes last. Without any, the
    ///     order is by key.
    /// - Returns: The object, or nil if there is none.
    /// - Throws: As `Condition.init(_:_:in:)` and `Query.fetch(in:)`; `StrongroomError` with `otherStore`,
    ///   `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.first(where: …)")
    public static func first(
        where format: PredicateFormat, _ arguments: (any Sendable)?..., orderBy orderings: (Columns) -> Ordering...
    ) throws -> RecordType? {
        let asked = try Self.where(format.with(arguments: arguments)).objects(orderings)
        return try Objects<Self>.readNow { db in try asked.first(in: db) }
    }

    /// The object with a key.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameter key: The primary key.
    /// - Returns: The object, or nil if there is none.
    /// - Throws: As `Query.fetch(in:)`; `StrongroomError` with `otherStore`, `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.find(key)")
    public static func find(_ key: Key) throws -> RecordType? {
        try Objects<Self>.readNow { db in try find(key, in: db) }
    }

    /// The number of objects that match a condition.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameter condition: Makes the condition from the table's columns; nil for all.
    /// - Returns: The number.
    /// - Throws: As `Query.fetch(in:)`; `StrongroomError` with `otherStore`, `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.count()")
    public static func count(where condition: ((Columns) -> Condition)? = nil) throws -> Int {
        let asked = condition.map { Self.where($0) } ?? Self.query
        return try Objects<Self>.readNow { db in try asked.count(in: db) }
    }

    /// The number of objects that match a predicate text.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    /// - Returns: The number.
    /// - Throws: As `Condition.init(_:_:in:)` and `Query.fetch(in:)`; `StrongroomError` with `otherStore`,
    ///   `closed`, as for a save.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.count(where: …)")
    public static func count(where format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Int {
        let asked = try Self.where(format.with(arguments: arguments))
        return try Objects<Self>.readNow { db in try asked.count(in: db) }
    }
}
