extension Join {
    /// Runs the join.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: For each row a tuple with a record of each table.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names table and column, or the engine's failure.
    @inlinable
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [Records] {
        let connection = db.handle.connection
        let statement = try content.statement(on: connection)
        defer { statement.finish() }
        var rows: [Records] = []
        var reader = JoinReader(statement)
        do {
            while try statement.step() {
                reader.beginRow()
                rows.append(try read(&reader))
            }
        } catch {
            throw content.located(error, in: reader.part, at: rows.count, on: connection)
        }
        return rows
    }

    /// The first row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records, or nil when there is no row.
    /// - Throws: As ``fetch(in:)``.
    @inlinable
    public func first(in db: borrowing some Reading & ~Copyable) throws -> Records? {
        try limitedToOne().fetch(in: db).first
    }

    /// Whether there is a row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: True when there is at least one.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func exists(in db: borrowing some Reading & ~Copyable) throws -> Bool {
        let connection = db.handle.connection
        try content.prepareTables(connection)
        let statement = try connection.statement(for: limitedToOne().content.presence)
        defer { statement.finish() }
        return try statement.step()
    }

    /// The number of rows, the limit included.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try content.prepareTables(db.handle.connection)
        return try db.value(content.count) ?? 0
    }

    /// Reads the rows into records of another type, whose columns come from any of the tables.
    ///
    /// ```swift
    /// let lines = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
    ///     .fetch(as: StatementLine.self, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The record's type; each of its columns is the one of that name, which only one of the tables may have.
    ///   - db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` for a column that no table has, or more than one, `typeMismatch`, or
    ///   the engine's failure.
    public func fetch<R: Record>(as type: R.Type, in db: borrowing some Reading & ~Copyable) throws -> [R] {
        try content.fetch(type, content.columns(named: R.columnNames), in: db)
    }

    /// Reads the rows into records of another type, from columns and expressions that are chosen.
    ///
    /// - Parameters:
    ///   - type: The record's type.
    ///   - db: A transaction.
    ///   - expressions: Makes what each of the record's columns is read from, in their order.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` when there are more or fewer than the record has columns,
    ///   `typeMismatch`, or the engine's failure.
    public func fetch<R: Record>(
        as type: R.Type,
        in db: borrowing some Reading & ~Copyable,
        columns expressions: (Columns) -> [any SQLExpression]
    ) throws -> [R] {
        try content.fetch(type, expressions(columns).map { $0.sql }, in: db)
    }

    /// Reads single values of each row.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the tables' columns.
    /// - Returns: The selection, to refine or to run.
    public func select<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) -> Selection<repeat (each E).Value> {
        let made = expressions(columns)
        return content.selection(of: repeat each made)
    }

    /// Reads values of each group of rows.
    ///
    /// - Parameters:
    ///   - expressions: Makes a tuple of expressions from the tables' columns: what is grouped by, and aggregates.
    ///   - groups: Makes what the rows of a group have in common.
    /// - Returns: The selection, to refine or to run.
    public func select<each E: SQLExpression, each G: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E),
        groupedBy groups: (Columns) -> (repeat each G)
    ) -> Selection<repeat (each E).Value> {
        let (made, madeGroups) = (expressions(columns), groups(columns))
        return content.grouped(by: repeat each madeGroups).selection(of: repeat each made)
    }

    @usableFromInline
    func limitedToOne() -> Join {
        limit(min(content.clauses.limit ?? 1, 1), offset: content.clauses.offset)
    }
}
