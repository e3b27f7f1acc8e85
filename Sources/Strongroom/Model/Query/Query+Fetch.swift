extension Query {
    /// Runs the query.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `typeMismatch` naming table, column and row, or the engine's failure.
    @inlinable
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [Source.RecordType] {
        try fetch(as: Source.RecordType.self, in: db)
    }

    /// Runs the query and reads only the columns of another record type.
    ///
    /// ```swift
    /// let cards = try Contact.where { $0.phone != nil }.fetch(as: NameCard.self, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The record's type; its columns are columns of the table.
    ///   - db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, `sql` for a column that the table does not have, or the
    ///   engine's failure.
    @inlinable
    public func fetch<R: Record>(as type: R.Type, in db: borrowing some Reading & ~Copyable) throws -> [R] {
        let connection = db._handle.connection
        let statement = try statement(as: type, on: connection)
        defer { statement.finish() }
        var records: [R] = []
        let row = Row(statement)
        do {
            try statement.fetch(into: &records) { try R(row: row) }
        } catch {
            throw located(error, at: records.count, on: connection)
        }
        return records
    }

    /// Passes the records to a closure, one at a time.
    ///
    /// ```swift
    /// try Contact.where { $0.phone != nil }.forEach(in: db) { contact in print(contact.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A transaction.
    ///   - body: Receives each record.
    /// - Throws: As ``fetch(in:)``; what the closure throws.
    /// - Note: The records are those that there were when the loop began, also if the closure changes the table. Before
    ///   the first such change the rest of the records is read into memory: see <doc:AskingForRows>.
    @inlinable
    public func forEach(
        in db: borrowing some Reading & ~Copyable,
        _ body: (Source.RecordType) throws -> Void
    ) throws {
        try withCursor(in: db) { cursor in
            while let record = try cursor.next() { try body(record) }
        }
    }

    /// Provides a cursor, which reads one record at a time and retains none, unless the closure changes the table: then
    /// the rest of the records is read before, as by ``forEach(in:_:)``.
    ///
    /// ```swift
    /// let found = try Contact.order { $0.name.ascending }.withCursor(in: db) { cursor in
    ///     while let contact = try cursor.next() {
    ///         if contact.matches(pattern) { return contact }
    ///     }
    ///     return nil
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A transaction.
    ///   - body: Receives the cursor; it is valid only inside the closure.
    /// - Returns: What the closure returns.
    /// - Throws: ``StrongroomError`` with the engine's failure; what the closure throws.
    @inlinable
    public func withCursor<T>(
        in db: borrowing some Reading & ~Copyable,
        _ body: (inout RecordCursor<Source>) throws -> T
    ) throws -> T {
        let connection = db._handle.connection
        let statement = try statement(as: Source.RecordType.self, on: connection)
        defer { statement.finish() }
        let rows = connection.openRows(of: statement)
        defer { if rows != nil { connection.closeRows() } }
        var cursor = RecordCursor(self, statement, rows, on: connection)
        return try body(&cursor)
    }

    /// The first record of the query.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The record, or nil if there is none.
    /// - Throws: As ``fetch(in:)``.
    @inlinable
    public func first(in db: borrowing some Reading & ~Copyable) throws -> Source.RecordType? {
        let query = limitedToOne()
        let connection = db._handle.connection
        let statement = try query.statement(as: Source.RecordType.self, on: connection)
        defer { statement.finish() }
        var cursor = RecordCursor(query, statement, nil, on: connection)
        return try cursor.next()
    }

    /// The record of the query with the highest primary key, regardless of the query's order.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The record, or nil if there is none.
    /// - Throws: As ``fetch(in:)``.
    @inlinable
    public func latest(in db: borrowing some Reading & ~Copyable) throws -> Source.RecordType? {
        try highestFirst().first(in: db)
    }

    /// Whether there is a row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: True if there is at least one.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func exists(in db: borrowing some Reading & ~Copyable) throws -> Bool {
        try db._handle.connection.prepareTable(Source.schema)
        let rows = try limitedToOne().resolved().sql(after: "SELECT 1 FROM \(Source.schema.quotedName)")
        return try db.value(rows, as: Int.self) != nil
    }

    /// The number of rows of the query, taking its limit into account.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try value(in: db) { _ in RowCount() }
    }

    /// An aggregate of all rows of the query, taking its limit into account.
    ///
    /// ```swift
    /// let oldest = try Contact.where { $0.city == "Bonn" }.value(in: db) { $0.age.max() }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A transaction.
    ///   - expression: Makes the aggregate from the table's columns.
    /// - Returns: The value.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, `sql`, or the engine's failure.
    public func value<E: SQLExpression>(
        in db: borrowing some Reading & ~Copyable,
        _ expression: (Source.Columns) -> E
    ) throws -> E.Value {
        try db._handle.connection.prepareTable(Source.schema)
        var clauses = try resolved()
        let table = Source.schema.quotedName
        if !clauses.hasLimit { clauses.orderings = [] }
        let computed = Source.made(expression)[0]
        var sql: SQL = "SELECT \(computed) FROM "
        if clauses.hasLimit {
            sql.append(text: "(")
            sql.append(clauses.sql(after: "SELECT * FROM \(table)"))
            // With the table's name, by which a subquery in the expression refers to the row.
            sql.append(text: ") AS \(table)")
        } else {
            sql.append(clauses.sql(after: table))
        }
        let statement = try db._handle.connection.statement(for: sql)
        defer { statement.finish() }
        guard try statement.step() else {
            throw StrongroomError(
                .notTranslatable, "The expression gives no row; compute it with an aggregate.", sql: sql.text)
        }
        return try Row(statement).value(at: 0, form: computed.form)
    }

    @usableFromInline
    func limitedToOne() -> Query {
        limit(min(clauses.limit ?? 1, 1), offset: clauses.offset)
    }

    @usableFromInline
    func highestFirst() throws -> Query {
        var sorted = Query()
        if let rows = try unsorted() { sorted.clauses.add(rows) }
        return try sorted.orderedByKey(descending: true)
    }

    /// The query's statement for a record's columns, with its values bound.
    @inlinable
    func statement<R: Record>(as type: R.Type, on connection: Connection) throws -> Statement {
        try connection.prepareTable(Source.schema)
        // Neither the query nor its clauses are copied, which a closure that uses them, or a conditional, would do.
        let isDistinct = clauses.isDistinct
        func beginning() -> String { TableStatements(Source.schema, R.columnNames).select(distinct: isDistinct) }
        guard isResolved else {
            return try connection.statement(of: try resolved(), for: RecordsOf<Source, R>.self, beginning: beginning)
        }
        return try connection.statement(of: clauses, for: RecordsOf<Source, R>.self, beginning: beginning)
    }
}

/// Identifies the records of one type in one table, as a cache key.
@usableFromInline
enum RecordsOf<Source: Table, R: Record> {}
