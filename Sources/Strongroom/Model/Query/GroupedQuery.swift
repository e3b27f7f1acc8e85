/// The groups of a query's rows.
///
/// See ``Query/group(_:)``.
public struct GroupedQuery<Source: Table>: Sendable {
    private let query: Query<Source>
    /// What applies to the groups.
    private var clauses = QueryClauses()

    init(_ query: Query<Source>, by groups: [SQL]) {
        self.query = query
        clauses.groups = groups
    }

    /// Adds a condition on the groups; groups must match all conditions.
    ///
    /// - Parameter condition: Makes the condition from the table's columns, mostly with aggregates such as
    ///   ``RowCount``.
    /// - Returns: The query with the condition.
    public func having(_ condition: (Source.Columns) -> Condition) -> GroupedQuery {
        var copy = self
        copy.clauses.add(having: Source.made(condition))
        return copy
    }

    /// Adds orderings of the groups; earlier ones have priority.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the table's columns, also
    ///   with aggregates; the first has the highest priority.
    /// - Returns: The sorted query.
    public func order(@OrderingBuilder _ orderings: (Source.Columns) -> [Ordering]) -> GroupedQuery {
        var copy = self
        copy.clauses.orderings += Source.made(orderings)
        return copy
    }

    /// Limits the number of groups.
    ///
    /// - Parameters:
    ///   - count: The maximum number of groups; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of groups to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited query.
    public func limit(_ count: Int, offset: Int = 0) -> GroupedQuery {
        var copy = self
        copy.clauses.limit(to: count, offset: offset)
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
        var rows = try query.resolved()
        var source = SQL.name(Source.schema.name)
        if rows.hasLimit {
            // The rows are limited before they are grouped, in a subquery with the table's name.
            source = "(\(rows.sql(after: "SELECT * FROM \(Source.schema.quotedName)"))) AS \(source)"
            rows = QueryClauses()
        }
        rows.group(by: clauses)
        return Selection(list, from: source, rows, of: [Source.schema])
    }
}
