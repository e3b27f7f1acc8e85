/// A question to four tables at once; see ``Join``.
public struct JoinOfFour<First: JoinPart, Second: JoinPart, Third: JoinPart, Fourth: JoinPart>: JoinedTables {
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
        _ condition: (First.Columns, Second.Columns, Third.Columns, Fourth.Columns) -> Condition
    ) -> Self {
        adding(
            condition(First.columns("t0"), Second.columns("t1"), Third.columns("t2"), Fourth.columns("t3")))
    }

    /// Sorts the rows; orderings given before count more.
    ///
    /// - Parameter ordering: Makes the ordering from the tables' columns.
    /// - Returns: The sorted join.
    public func order(
        _ ordering: (First.Columns, Second.Columns, Third.Columns, Fourth.Columns) -> Ordering
    ) -> Self {
        adding(
            ordering(First.columns("t0"), Second.columns("t1"), Third.columns("t2"), Fourth.columns("t3")))
    }

    /// Runs the join.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: For each row a tuple with a record of each table.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names table and column, or the engine's failure.
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [(
        First.Output, Second.Output, Third.Output, Fourth.Output
    )] {
        var rows: [(First.Output, Second.Output, Third.Output, Fourth.Output)] = []
        try content.forEachRow(in: db) { reader in
            rows.append(
                (
                    try reader.next(First.self), try reader.next(Second.self), try reader.next(Third.self),
                    try reader.next(Fourth.self)
                ))
        }
        return rows
    }

    /// The first row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records, or nil when there is no row.
    /// - Throws: As ``fetch(in:)``.
    public func first(in db: borrowing some Reading & ~Copyable) throws -> (
        First.Output, Second.Output, Third.Output, Fourth.Output
    )? {
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
        columns: (First.Columns, Second.Columns, Third.Columns, Fourth.Columns) -> [any SQLExpression]
    ) throws -> [R] {
        try content.fetch(
            type,
            columns(First.columns("t0"), Second.columns("t1"), Third.columns("t2"), Fourth.columns("t3")).map {
                $0.sql
            }, in: db)
    }

    /// Reads single values of each row.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the tables' columns.
    /// - Returns: The selection, to refine or to run.
    public func select<each E: SQLExpression>(
        _ expressions: (First.Columns, Second.Columns, Third.Columns, Fourth.Columns) -> (repeat each E)
    ) -> Selection<repeat (each E).Value> {
        content.selection(
            of: repeat each expressions(
                First.columns("t0"), Second.columns("t1"), Third.columns("t2"), Fourth.columns("t3")))
    }

    /// Reads values of each group of rows.
    ///
    /// - Parameters:
    ///   - expressions: Makes a tuple of expressions from the tables' columns: what is grouped by, and aggregates.
    ///   - groups: Makes what the rows of a group have in common.
    /// - Returns: The selection, to refine or to run.
    public func select<each E: SQLExpression, each G: SQLExpression>(
        _ expressions: (First.Columns, Second.Columns, Third.Columns, Fourth.Columns) -> (repeat each E),
        groupedBy groups: (First.Columns, Second.Columns, Third.Columns, Fourth.Columns) -> (repeat each G)
    ) -> Selection<repeat (each E).Value> {
        content.grouped(
            by: repeat each groups(First.columns("t0"), Second.columns("t1"), Third.columns("t2"), Fourth.columns("t3"))
        )
        .selection(
            of: repeat each expressions(
                First.columns("t0"), Second.columns("t1"), Third.columns("t2"), Fourth.columns("t3")))
    }
}
