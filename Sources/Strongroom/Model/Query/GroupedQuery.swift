/// The groups of the rows of a query or a join.
///
/// ```swift
/// let busy = try Patient.leftJoin(Appointment.self) { patient, visit in patient.id == visit.patient }
///     .group { patient, _ in patient.id }
///     .having { _, visit in visit.id.count() > 1 }
///     .order { _, visit in visit.date.max().descending }
///     .select { patient, visit in (patient.name, visit.id.count(), visit.date.max()) }
///     .fetch(in: db)                                              // [(String, Int, Date?)]
/// ```
///
/// See ``Query/group(_:)`` and ``Join/group(_:)-((Columns)->E)``.
public struct GroupedQuery<Columns: Sendable>: Sendable, Refinable {
    private let columns: Columns
    private let begin: @Sendable () -> RunningScope
    /// Selects expressions of the groups to which the clauses apply.
    private let content: @Sendable ([SQL], QueryClauses) throws -> SelectionContent
    private var clauses = QueryClauses()

    init(
        _ columns: Columns, by groups: [SQL], begin: @escaping @Sendable () -> RunningScope,
        content: @escaping @Sendable ([SQL], QueryClauses) throws -> SelectionContent
    ) {
        self.columns = columns
        self.begin = begin
        self.content = content
        clauses.groups = groups
    }

    /// Adds a condition on the groups; groups must match all conditions.
    ///
    /// - Parameter condition: Makes the condition from the columns, mostly with aggregates such as ``RowCount``.
    /// - Returns: The groups with the condition.
    public func having(_ condition: (Columns) -> Condition) -> GroupedQuery {
        let scope = begin()
        let added = scope.end(condition(columns))
        return refined { $0.clauses.add(having: added) }
    }

    /// Adds orderings of the groups; earlier ones have priority.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the columns, also with
    ///   aggregates; the first has the highest priority.
    /// - Returns: The sorted groups.
    public func order(@OrderingBuilder _ orderings: (Columns) -> [Ordering]) -> GroupedQuery {
        let scope = begin()
        let added = scope.end(orderings(columns))
        return refined { $0.clauses.orderings += added }
    }

    /// Limits the number of groups.
    ///
    /// - Parameters:
    ///   - count: The maximum number of groups; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of groups to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited groups.
    public func limit(_ count: Int, offset: Int = 0) -> GroupedQuery {
        refined { $0.clauses.limit(to: count, offset: offset) }
    }

    /// Selects values of each group.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the columns: the grouping ones, and aggregates.
    /// - Returns: The selection.
    /// - Throws: ``StrongroomError`` if the record of `after(_:)` has a value that cannot be stored; `notTranslatable`
    ///   for a join that has a limit or removes duplicates.
    public func select<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) throws -> SelectQuery<repeat (each E).Value> {
        let scope = begin()
        let list = scope.end(sql(of: repeat each expressions(columns)))
        return SelectQuery(try content(list, clauses))
    }
}

extension Query {
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
    ) -> GroupedQuery<Source.Columns> {
        GroupedQuery(Source.columns, by: Source.evaluate(expressions), begin: { RunningScope(of: Source.schema) }) {
            var (source, rows) = try self.limited()
            rows.group(by: $1)
            return SelectionContent($0, from: source, rows, of: [Source.schema])
        }
    }
}
