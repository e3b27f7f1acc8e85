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
        let added = Source.made(condition)
        copy.having = having.map { $0 && added } ?? added
        return copy
    }

    /// Adds orderings of the groups; earlier ones have priority.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the table's columns, also
    ///   with aggregates; the first has the highest priority.
    /// - Returns: The sorted query.
    public func order(@OrderingBuilder _ orderings: (Source.Columns) -> [Ordering]) -> GroupedQuery {
        var copy = self
        copy.orderings += Source.made(orderings)
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
        let list = Source.made(expressions)
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
