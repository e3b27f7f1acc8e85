/// A join of two or more tables.
///
/// ```swift
/// let pairs = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
///     .where { contact, order in order.total > 100 }
///     .order { contact, order in contact.name.ascending }
///     .fetch(in: db)                                              // [(Contact, Order)]
/// ```
///
/// ``Table/join(_:on:)`` and ``Table/leftJoin(_:on:)`` join two tables, ``join(_:on:)`` and ``leftJoin(_:on:)`` add
/// another, up to the engine's limit of 64. The generic parameters are two tuples with an element for each table:
/// closures receive `Columns`, and each row is returned as `Records`. A table that was joined with `leftJoin` has
/// ``OuterColumns`` and an optional record:
///
/// ```swift
/// func calls(from city: String) throws -> Join<(JoinedColumns<Contact>, OuterColumns<Call>), (Contact, Call?)> {
///     try Contact.leftJoin(Call.self) { contact, call in contact.id == call.contact }
///         .where { contact, _ in contact.city == city }
/// }
/// ```
///
/// ## Topics
///
/// ### More tables
///
/// - ``join(_:on:)``
/// - ``leftJoin(_:on:)``
///
/// ### Which rows
///
/// - ``order(_:)``
/// - ``limit(_:offset:)``
/// - ``distinct()``
///
/// ### Reading
///
/// - ``fetch(in:)``
/// - ``first(in:)``
/// - ``exists(in:)``
/// - ``count(in:)``
/// - ``fetch(as:in:columns:)``
/// - ``select(_:)``
/// - ``group(_:)-((Columns)->E)``
/// - ``group(_:)-((Columns)->(E))``
public struct Join<Columns: Sendable, Records: Sendable>: Sendable, Refinable {
    // Two tuples instead of one pack of tables: Swift 6.3 infers no chain through `Join<repeat each Part, Added>`.
    @usableFromInline var content: JoinContent
    @usableFromInline let columns: Columns
    @usableFromInline let read: @Sendable (inout JoinReader) throws -> Records

    @usableFromInline
    init(_ content: JoinContent, _ columns: Columns, read: @escaping @Sendable (inout JoinReader) throws -> Records) {
        self.content = content
        self.columns = columns
        self.read = read
    }

    /// Adds another table (inner join).
    ///
    /// ```swift
    /// let all = try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
    ///     .join(City.self) { contact, order, city in contact.cityID == city.id }
    ///     .fetch(in: db)                                          // [(Contact, Order?, City)]
    /// ```
    ///
    /// - Parameters:
    ///   - table: The table; one that is already joined is joined with itself.
    ///   - condition: Makes the condition from the columns of all tables.
    /// - Returns: The extended join.
    @inlinable
    public func join<Other: Table, each Left: Sendable, each Part: Sendable>(
        _ table: Other.Type,
        on condition: (repeat each Left, JoinedColumns<Other>) -> Condition
    ) -> Join<(repeat each Left, JoinedColumns<Other>), (repeat each Part, Other.RecordType)>
    where Columns == (repeat each Left), Records == (repeat each Part) {
        let added = JoinedColumns<Other>(alias: content.nextAlias)
        let scope = content.beginCondition(with: Other.schema)
        let condition = scope.end(
            withColumns(repeat each columns, added, condition: condition))
        let (read, count) = (self.read, Other.RecordType.columnNames.count)
        return Join<(repeat each Left, JoinedColumns<Other>), (repeat each Part, Other.RecordType)>(
            content.adding(table, "JOIN", on: condition), (repeat each columns, added)
        ) { reader in
            let left = try read(&reader)
            return (repeat each left, try reader.next(Other.RecordType.self, count))
        }
    }

    /// Adds another table (left join): its record is nil in rows without a match, and its columns are optional from
    /// here on.
    ///
    /// - Parameters:
    ///   - table: The table; one that is already joined is joined with itself.
    ///   - condition: Makes the condition from the columns of all tables.
    /// - Returns: The extended join.
    @inlinable
    public func leftJoin<Other: Table, each Left: Sendable, each Part: Sendable>(
        _ table: Other.Type,
        on condition: (repeat each Left, JoinedColumns<Other>) -> Condition
    ) -> Join<(repeat each Left, OuterColumns<Other>), (repeat each Part, Other.RecordType?)>
    where Columns == (repeat each Left), Records == (repeat each Part) {
        let alias = content.nextAlias
        let scope = content.beginCondition(with: Other.schema)
        let condition = scope.end(
            withColumns(repeat each columns, JoinedColumns<Other>(alias: alias), condition: condition))
        let (read, count) = (self.read, Other.RecordType.columnNames.count)
        return Join<(repeat each Left, OuterColumns<Other>), (repeat each Part, Other.RecordType?)>(
            content.adding(table, "LEFT JOIN", on: condition),
            (repeat each columns, OuterColumns<Other>(alias: alias))
        ) { reader in
            let left = try read(&reader)
            return (repeat each left, try reader.nextIfPresent(Other.RecordType.self, count))
        }
    }

    /// Adds a condition; rows must match all conditions of the query.
    ///
    /// - Parameter condition: Makes the condition from the tables' columns.
    /// - Returns: The join with the condition.
    public func `where`(_ condition: (Columns) -> Condition) -> Join {
        refined { $0.content.clauses.add(evaluate(condition)) }
    }

    /// Adds orderings; earlier ones have priority.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the tables' columns; the
    ///   first has the highest priority.
    /// - Returns: The sorted join.
    public func order(@OrderingBuilder _ orderings: (Columns) -> [Ordering]) -> Join {
        refined { $0.content.clauses.orderings += evaluate(orderings) }
    }

    /// Limits the number of rows.
    ///
    /// - Parameters:
    ///   - count: The maximum number of rows; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of rows to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited join.
    public func limit(_ count: Int, offset: Int = 0) -> Join {
        refined { $0.content.clauses.limit(to: count, offset: offset) }
    }

    /// Removes duplicates (SELECT DISTINCT).
    ///
    /// - Returns: The join without duplicates.
    public func distinct() -> Join {
        refined { $0.content.clauses.isDistinct = true }
    }
}

/// Calls a closure with the columns of a join's tables and those of another, which can only be named in a pack of all.
@usableFromInline
func withColumns<each Columns>(
    _ columns: repeat each Columns, condition: (repeat each Columns) -> Condition
) -> Condition {
    condition(repeat each columns)
}

/// What the closures of a join make from the tables' columns.
extension Join {
    func evaluate(_ condition: (Columns) -> Condition) -> Condition {
        let scope = content.begin()
        return scope.end(condition(columns))
    }

    func evaluate(_ orderings: (Columns) -> [Ordering]) -> [Ordering] {
        let scope = content.begin()
        return scope.end(orderings(columns))
    }

    func evaluate<each E: SQLExpression>(_ expressions: (Columns) -> (repeat each E)) -> [SQL] {
        let scope = content.begin()
        return scope.end(sql(of: repeat each expressions(columns)))
    }
}

extension Query {
    /// Joins the query's rows with those of another table (inner join).
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    /// - Throws: ``StrongroomError`` if the record of `after(_:)` has a value that cannot be stored.
    @inlinable
    public func join<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Source>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Source>, JoinedColumns<Other>), (Source.RecordType, Other.RecordType)> {
        let content = try JoinContent(self)
        let columns = (
            JoinedColumns<Source>(alias: JoinContent.firstAlias), JoinedColumns<Other>(alias: JoinContent.secondAlias)
        )
        let scope = content.beginCondition(with: Other.schema)
        let condition = scope.end(condition(columns.0, columns.1))
        let (left, right) = (Source.RecordType.columnNames.count, Other.RecordType.columnNames.count)
        return Join(content.adding(table, "JOIN", on: condition), columns) { reader in
            (try reader.next(Source.RecordType.self, left), try reader.next(Other.RecordType.self, right))
        }
    }

    /// Joins the query's rows with those of another table (left join): its record is nil in rows without a match. Its
    /// columns are optional from here on: `$1.total == nil` matches the rows without a match.
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    /// - Throws: As ``join(_:on:)``.
    @inlinable
    public func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Source>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Source>, OuterColumns<Other>), (Source.RecordType, Other.RecordType?)> {
        let content = try JoinContent(self)
        let columns = (
            JoinedColumns<Source>(alias: JoinContent.firstAlias), OuterColumns<Other>(alias: JoinContent.secondAlias)
        )
        let scope = content.beginCondition(with: Other.schema)
        let condition = scope.end(condition(columns.0, JoinedColumns(alias: columns.1.alias)))
        let (left, right) = (Source.RecordType.columnNames.count, Other.RecordType.columnNames.count)
        return Join(content.adding(table, "LEFT JOIN", on: condition), columns) { reader in
            (try reader.next(Source.RecordType.self, left), try reader.nextIfPresent(Other.RecordType.self, right))
        }
    }
}

extension Table {
    /// Joins the table with another (inner join).
    ///
    /// ```swift
    /// let pairs = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    @inlinable
    public static func join<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Self>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Self>, JoinedColumns<Other>), (RecordType, Other.RecordType)> {
        try Query<Self>().join(table, on: condition)
    }

    /// Joins the table with another (left join): its record is nil in rows without a match.
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    @inlinable
    public static func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Self>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Self>, OuterColumns<Other>), (RecordType, Other.RecordType?)> {
        try Query<Self>().leftJoin(table, on: condition)
    }
}
