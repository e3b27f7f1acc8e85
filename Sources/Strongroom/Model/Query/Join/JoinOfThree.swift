/// A question to three tables at once; see ``Join``.
public struct JoinOfThree<First: JoinPart, Second: JoinPart, Third: JoinPart>: JoinedTables {
    /// What all joins have in common.
    public var content: JoinContent

    init(_ content: JoinContent) {
        self.content = content
    }

    /// Keeps the rows for which a condition holds, besides those before it.
    ///
    /// - Parameter condition: Makes the condition from the tables' columns.
    /// - Returns: The narrower join.
    public func `where`(
        _ condition: (First.Columns, Second.Columns, Third.Columns) ->
            Condition
    ) -> Self {
        adding(condition(First.columns("t0"), Second.columns("t1"), Third.columns("t2")))
    }

    /// Sorts the rows; orderings given before count more.
    ///
    /// - Parameter ordering: Makes the ordering from the tables' columns.
    /// - Returns: The sorted join.
    public func order(
        _ ordering: (First.Columns, Second.Columns, Third.Columns) -> Ordering
    ) -> Self {
        adding(ordering(First.columns("t0"), Second.columns("t1"), Third.columns("t2")))
    }

    /// Runs the join.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: For each row a tuple with a record of each table.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names table and column, or the engine's failure.
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [(First.Output, Second.Output, Third.Output)]
    {
        var rows: [(First.Output, Second.Output, Third.Output)] = []
        try content.forEachRow(in: db) { reader in
            rows.append((try reader.next(First.self), try reader.next(Second.self), try reader.next(Third.self)))
        }
        return rows
    }

    /// The first row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records, or nil when there is no row.
    /// - Throws: As ``fetch(in:)``.
    public func first(in db: borrowing some Reading & ~Copyable) throws -> (First.Output, Second.Output, Third.Output)?
    {
        try limitedToOne().fetch(in: db).first
    }

    /// Reads the rows into records of another type, from columns and expressions that are chosen.
    ///
    /// - Parameters:
    ///   - type: The record's type.
    ///   - db: A transaction.
    ///   - columns: Makes what each of the record's columns is read from, in their order.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` when there are more or fewer than the record has columns,
    ///   `typeMismatch`, or the engine's failure.
    public func fetch<R: Record>(
        as type: R.Type,
        in db: borrowing some Reading & ~Copyable,
        columns: (First.Columns, Second.Columns, Third.Columns) ->
            [any SQLExpression]
    ) throws -> [R] {
        try content.fetch(
            type,
            columns(First.columns("t0"), Second.columns("t1"), Third.columns("t2")).map { $0.sql },
            in: db)
    }

    /// Reads single values of each row.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the tables' columns.
    /// - Returns: The selection, to refine or to run.
    public func select<each E: SQLExpression>(
        _ expressions: (First.Columns, Second.Columns, Third.Columns) -> (
            repeat each E
        )
    ) -> Selection<repeat (each E).Value> {
        content.selection(
            of: repeat each expressions(First.columns("t0"), Second.columns("t1"), Third.columns("t2")))
    }

    /// Reads values of each group of rows.
    ///
    /// - Parameters:
    ///   - expressions: Makes a tuple of expressions from the tables' columns: what is grouped by, and aggregates.
    ///   - groups: Makes what the rows of a group have in common.
    /// - Returns: The selection, to refine or to run.
    public func select<each E: SQLExpression, each G: SQLExpression>(
        _ expressions: (First.Columns, Second.Columns, Third.Columns) -> (
            repeat each E
        ),
        groupedBy groups: (First.Columns, Second.Columns, Third.Columns) -> (
            repeat each G
        )
    ) -> Selection<repeat (each E).Value> {
        content.grouped(
            by: repeat each groups(First.columns("t0"), Second.columns("t1"), Third.columns("t2"))
        )
        .selection(
            of: repeat each expressions(First.columns("t0"), Second.columns("t1"), Third.columns("t2")))
    }

    /// Adds another table; rows without a partner in it are left out.
    ///
    /// - Parameters:
    ///   - table: The table; one that is there already is joined with itself.
    ///   - condition: Makes the condition from the columns of all tables.
    /// - Returns: The larger join.
    public func join<Other: Table>(
        _ table: Other.Type,
        on condition: (
            First.Columns, Second.Columns, Third.Columns, JoinedColumns<Other>
        ) -> Condition
    ) -> JoinOfFour<First, Second, Third, InnerPart<Other>> {
        let condition = condition(
            First.columns("t0"), Second.columns("t1"), Third.columns("t2"),
            JoinedColumns(alias: "t3"))
        return JoinOfFour(content.adding(table, "JOIN", as: "t3", on: condition))
    }

    /// Adds another table; rows without a partner in it have nil in its place, and its columns can be nil from here on.
    ///
    /// - Parameters:
    ///   - table: The table; one that is there already is joined with itself.
    ///   - condition: Makes the condition from the columns of all tables.
    /// - Returns: The larger join.
    public func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (
            First.Columns, Second.Columns, Third.Columns, JoinedColumns<Other>
        ) -> Condition
    ) -> JoinOfFour<First, Second, Third, OuterPart<Other>> {
        let condition = condition(
            First.columns("t0"), Second.columns("t1"), Third.columns("t2"),
            JoinedColumns(alias: "t3"))
        return JoinOfFour(content.adding(table, "LEFT JOIN", as: "t3", on: condition))
    }
}
