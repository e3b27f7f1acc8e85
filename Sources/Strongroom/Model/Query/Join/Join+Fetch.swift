extension Join {
    /// Runs the join.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: A tuple with a record of each table, for each row.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names table and column, or the engine's failure.
    @inlinable
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [Records] {
        let connection = db._handle.connection
        let statement = try content.statement(on: connection)
        defer { statement.finish() }
        var rows: [Records] = []
        var reader = JoinReader(statement)
        do {
            try statement.fetch(into: &rows) {
                reader.beginRow()
                return try read(&reader)
            }
        } catch {
            throw content.located(error, in: reader.part, at: rows.count, on: connection)
        }
        return rows
    }

    /// The first row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records, or nil if there is no row.
    /// - Throws: As ``fetch(in:)``.
    @inlinable
    public func first(in db: borrowing some Reading & ~Copyable) throws -> Records? {
        try limitedToOne().fetch(in: db).first
    }

    /// Whether there is a row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: True if there is at least one.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func exists(in db: borrowing some Reading & ~Copyable) throws -> Bool {
        try db.value(limitedToOne().content.presence, as: SQLValue.self) != nil
    }

    /// The number of rows, taking the limit into account.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try db.value(content.count) ?? 0
    }

    /// Reads the rows into records of another type, from specified columns and expressions.
    ///
    /// ```swift
    /// let lines = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
    ///     .fetch(as: StatementLine.self, in: db) { contact, order in [contact.name, order.total * 100] }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The record's type.
    ///   - db: A transaction.
    ///   - expressions: Makes the expressions for the record's columns, in their order.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `invalidArgument` if their number differs from that of the record's columns,
    ///   `typeMismatch`, or the engine's failure.
    public func fetch<R: Record>(
        as type: R.Type,
        in db: borrowing some Reading & ~Copyable,
        columns expressions: (Columns) -> [any SQLExpression]
    ) throws -> [R] {
        let scope = content.begin()
        return try content.fetch(type, scope.end(expressions(columns).map { $0.sql }), in: db)
    }

    /// Selects single values of each row.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the tables' columns.
    /// - Returns: The selection.
    public func select<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) -> SelectQuery<repeat (each E).Value> {
        SelectQuery(content.selection(of: evaluate(expressions)))
    }

    @usableFromInline
    func limitedToOne() -> Join {
        limit(min(content.clauses.limit ?? 1, 1), offset: content.clauses.offset)
    }
}

extension Join {
    /// Groups the rows of the join that have equal values.
    ///
    /// The groups have an order and a limit of their own: `group { … }.order { … }.limit(10)`. The order of the join's
    /// rows has no effect; a join with a limit or with ``distinct()`` is refused.
    ///
    /// - Parameter expressions: Makes the expressions to group by from the tables' columns.
    /// - Returns: The groups, of which values can be selected.
    public func group<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) -> GroupedQuery<Columns> {
        grouped(by: evaluate(expressions))
    }

    /// Groups the rows of the join that have equal values of one expression.
    ///
    /// With this form, the compiler infers the closure also for a join of three or more tables in the same expression.
    ///
    /// - Parameter expression: Makes the expression to group by from the tables' columns.
    /// - Returns: The groups, as by several expressions.
    public func group<E: SQLExpression>(_ expression: (Columns) -> E) -> GroupedQuery<Columns> {
        grouped(by: evaluate(expression))
    }

    private func grouped(by groups: [SQL]) -> GroupedQuery<Columns> {
        GroupedQuery(columns, by: groups, begin: { [content] in content.begin() }) { [content] in
            guard !content.clauses.hasLimit, !content.clauses.isDistinct else {
                throw StrongroomError(
                    .notTranslatable,
                    """
                    A join with a limit, or without duplicates, cannot be grouped; limit the groups, or join a limited \
                    query.
                    """)
            }
            var grouped = content
            grouped.clauses.group(by: $1)
            return grouped.selection(of: $0)
        }
    }
}
