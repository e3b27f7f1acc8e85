extension Query {
    /// Selects single values of each row.
    ///
    /// ```swift
    /// let names = try Contact.where { $0.phone != nil }.select { ($0.id, $0.name) }.fetch(in: db)
    /// ```
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the table's columns.
    /// - Returns: The selection.
    /// - Throws: ``StrongroomError`` if the record of `after(_:)` has a value that cannot be stored.
    public func select<each E: SQLExpression>(
        _ expressions: (Source.Columns) -> (repeat each E)
    ) throws -> Selection<repeat (each E).Value> {
        let made = expressions(Source.columns)
        var list: [SQL] = []
        repeat list.append((each made).sql)
        return Selection(list, from: .name(Source.schema.name), try resolved(), of: [Source.schema])
    }

    /// Groups rows with equal values.
    ///
    /// ```swift
    /// let sizes = try Contact.query.group { ($0.country, $0.city) }.select { ($0.city, RowCount()) }.fetch(in: db)
    /// ```
    ///
    /// - Parameter expressions: Makes the expressions to group by from the table's columns.
    /// - Returns: The groups, of which values can be selected.
    public func group<each E: SQLExpression>(
        _ expressions: (Source.Columns) -> (repeat each E)
    ) -> GroupedQuery<Source> {
        let made = expressions(Source.columns)
        var list: [SQL] = []
        repeat list.append((each made).sql)
        return GroupedQuery(self, by: list)
    }
}

/// The groups of a query's rows.
///
/// See ``Query/group(_:)``.
public struct GroupedQuery<Source: Table>: Sendable {
    private let query: Query<Source>
    private let groups: [SQL]
    private var having: Condition?
    private var orderings: [Ordering] = []
    private var limit: (count: Int, offset: Int)?

    init(_ query: Query<Source>, by groups: [SQL]) {
        self.query = query
        self.groups = groups
    }

    /// Adds a condition on the groups; groups must match all conditions.
    ///
    /// - Parameter condition: Makes the condition from the table's columns, mostly with aggregates such as
    ///   ``RowCount``.
    /// - Returns: The query with the condition.
    public func having(_ condition: (Source.Columns) -> Condition) -> GroupedQuery {
        var copy = self
        let added = condition(Source.columns)
        copy.having = having.map { $0 && added } ?? added
        return copy
    }

    /// Adds orderings of the groups; earlier ones have priority.
    ///
    /// - Parameter orderings: Make the orderings from the table's columns, also with aggregates; the first has the
    ///   highest priority.
    /// - Returns: The sorted query.
    public func order(_ orderings: (Source.Columns) -> Ordering...) -> GroupedQuery {
        var copy = self
        for ordering in orderings { copy.orderings.append(ordering(Source.columns)) }
        return copy
    }

    /// Limits the number of groups.
    ///
    /// - Parameters:
    ///   - count: The maximum number of groups; not negative.
    ///   - offset: The number of groups to skip; not negative.
    /// - Returns: The limited query.
    public func limit(_ count: Int, offset: Int = 0) -> GroupedQuery {
        precondition(count >= 0 && offset >= 0, "a limit and an offset are not negative")
        var copy = self
        copy.limit = (count, offset)
        return copy
    }

    /// Selects values of each group.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the table's columns: the grouping expressions, and
    ///   aggregates.
    /// - Returns: The selection.
    /// - Throws: ``StrongroomError`` if the record of `after(_:)` has a value that cannot be stored.
    public func select<each E: SQLExpression>(
        _ expressions: (Source.Columns) -> (repeat each E)
    ) throws -> Selection<repeat (each E).Value> {
        let made = expressions(Source.columns)
        var list: [SQL] = []
        repeat list.append((each made).sql)
        var clauses = try query.resolved()
        var source = SQL.name(Source.schema.name)
        if clauses.hasLimit {
            // The rows are limited before they are grouped, in a subquery with the table's name.
            source = "(\(clauses.sql(after: "SELECT * FROM \(Source.schema.quotedName)"))) AS \(source)"
            clauses = QueryClauses()
        }
        clauses.groups = groups
        clauses.having = having
        clauses.orderings = orderings
        if let limit { (clauses.limit, clauses.offset) = (limit.count, limit.offset) }
        return Selection(list, from: source, clauses, of: [Source.schema])
    }
}
