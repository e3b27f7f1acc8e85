/// The groups of a join's rows.
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
/// See ``Join/group(_:)-((Columns)->E)``.
public struct GroupedJoin<Columns: Sendable, Records: Sendable>: Sendable {
    private var join: Join<Columns, Records>
    /// What applies to the groups.
    private var clauses = QueryClauses()

    init(_ join: Join<Columns, Records>, by groups: [SQL]) {
        self.join = join
        clauses.groups = groups
        guard join.content.clauses.hasLimit || join.content.clauses.isDistinct else { return }
        let refusal = StrongroomError(
            .notTranslatable,
            """
            A join with a limit, or without duplicates, cannot be grouped; limit the groups, or join a limited query.
            """)
        self.join.content.clauses.add(Condition(failing: refusal))
    }

    /// Adds a condition on the groups; groups must match all conditions.
    ///
    /// - Parameter condition: Makes the condition from the tables' columns, mostly with aggregates such as
    ///   ``RowCount``.
    /// - Returns: The groups with the condition.
    public func having(_ condition: (Columns) -> Condition) -> GroupedJoin {
        var copy = self
        copy.clauses.add(having: join.made(condition))
        return copy
    }

    /// Adds orderings of the groups; earlier ones have priority.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the tables' columns, also
    ///   with aggregates; the first has the highest priority.
    /// - Returns: The sorted groups.
    public func order(@OrderingBuilder _ orderings: (Columns) -> [Ordering]) -> GroupedJoin {
        var copy = self
        copy.clauses.orderings += join.made(orderings)
        return copy
    }

    /// Limits the number of groups.
    ///
    /// - Parameters:
    ///   - count: The maximum number of groups; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of groups to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited groups.
    public func limit(_ count: Int, offset: Int = 0) -> GroupedJoin {
        var copy = self
        copy.clauses.limit(to: count, offset: offset)
        return copy
    }

    /// Selects values of each group.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the tables' columns: the grouping expressions, and
    ///   aggregates.
    /// - Returns: The selection.
    public func select<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) -> Selection<repeat (each E).Value> {
        var content = join.content
        content.clauses.group(by: clauses)
        return content.selection(of: join.made(expressions))
    }
}

extension Join {
    /// Groups the rows of the join that have equal values.
    ///
    /// The groups have an order and a limit of their own: `group { … }.order { … }.limit(10)`. The order of the join's
    /// rows has no effect; a join with a limit or with ``distinct()`` is refused.
    ///
    /// - Parameter expressions: Makes the expressions to group by from the tables' columns.
    /// - Returns: The groups, of which values can be selected. Running a selection throws ``StrongroomError`` with
    ///   `sql` if the join has a limit or removes duplicates.
    public func group<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) -> GroupedJoin<Columns, Records> {
        GroupedJoin(self, by: made(expressions))
    }

    /// Groups the rows of the join that have equal values of one expression.
    ///
    /// With this form, the compiler infers the closure also for a join of three or more tables in the same expression.
    ///
    /// - Parameter expression: Makes the expression to group by from the tables' columns.
    /// - Returns: The groups, as by several expressions.
    public func group<E: SQLExpression>(_ expression: (Columns) -> E) -> GroupedJoin<Columns, Records> {
        GroupedJoin(self, by: made(expression))
    }
}
