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
        let connection = db._handle.connection
        let statement = try statement(as: Source.RecordType.self, on: connection)
        defer { statement.finish() }
        let rows = connection.openRows(of: statement)
        defer { if rows != nil { connection.closeRows() } }
        var number = 0
        while try rows?.next() ?? statement.step() {
            let isCopied = rows?.isCopied ?? false
            let record: Source.RecordType
            do {
                if let rows, isCopied {
                    record = try Source.RecordType(row: Row(rows))
                } else {
                    record = try Source.RecordType(row: Row(statement))
                }
            } catch {
                // Once the loop has written to the table, the query may have other rows.
                throw located(error, at: isCopied ? nil : number, on: connection)
            }
            number += 1
            try body(record)
        }
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
        guard try statement.step() else { return nil }
        do {
            return try Source.RecordType(row: Row(statement))
        } catch {
            throw query.located(error, at: 0, on: connection)
        }
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
        var (source, rows) = try limited()
        rows.orderings = []
        let computed = Source.evaluate(expression)[0]
        let sql = SelectionContent([computed], from: source, rows, of: []).sql
        let statement = try db._handle.connection.statement(for: sql)
        defer { statement.finish() }
        guard try statement.step() else {
            throw StrongroomError(
                .notTranslatable, "The expression gives no row; compute it with an aggregate.", sql: sql.text)
        }
        return try Row(statement).value(at: 0, form: computed.form)
    }

    /// What follows FROM, and the clauses after it. Limited rows are a subquery with the table's name, so that the
    /// clauses of a group or an aggregate apply to them alone.
    func limited() throws -> (source: SQL, rows: QueryClauses) {
        let (rows, table) = (try resolved(), SQL.name(Source.schema.name))
        guard rows.hasLimit else { return (table, rows) }
        return ("(\(rows.sql(after: "SELECT * FROM \(table.text)"))) AS \(table)", QueryClauses())
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

extension Query {
    /// Adds the table and, if its index in the result is known, the row to an error about a value of the wrong type.
    @usableFromInline
    func located(_ error: any Error, at number: Int?, on connection: Connection) -> any Error {
        guard let error = error as? StrongroomError, error.mismatch != nil else { return error }
        return error.located(in: Source.schema.name, rowID: number.flatMap { rowID(at: $0, on: connection) })
    }

    /// The id of a row of the result; nil if rows have no id or represent several rows.
    private func rowID(at number: Int, on connection: Connection) -> Int64? {
        guard !clauses.isDistinct else { return nil }
        // The original error is the one to report.
        return try? findRowID(at: number, on: connection)
    }

    private func findRowID(at number: Int, on connection: Connection) throws -> Int64? {
        var clauses = try resolved()
        clauses.limit = 1
        clauses.offset += number
        // With the record's columns, so that the engine returns the rows in the same order.
        let columns = Source.RecordType.columnNames.map(Identifier.quote).joined(separator: ", ")
        let beginning = "SELECT rowid, \(columns) FROM \(Source.schema.quotedName)"
        let statement = try connection.statement(for: clauses.sql(after: beginning))
        defer { statement.finish() }
        return try statement.step() ? Row(statement).integer(at: 0) : nil
    }
}

extension Reading where Self: ~Copyable {
    /// Runs an SQL query and reads its rows as records.
    ///
    /// ```swift
    /// let cards = try db.fetch(NameCard.self, "SELECT name, phone FROM contact WHERE age > \(limit)")
    /// ```
    ///
    /// Columns are matched by name, in any order, including names given with `AS`; the case of the letters A to Z is
    /// ignored. Columns that the record does not have are not read.
    ///
    /// - Parameters:
    ///   - type: The record's type; the query must return each of its ``Record/columnNames`` exactly once.
    ///   - sql: The query; values are interpolated.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` (also if the query does not return a column of the record, or returns
    ///   it twice: the message names it), `typeMismatch`, or the engine's failure.
    @inlinable
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        var records: [R] = []
        // Before the names are compared: the engine prepares a statement again at its first step if the schema has
        // changed.
        let hasRow = try statement.step()
        let row = try statement.row(for: R.self, R.columnNames)
        guard hasRow else { return [] }
        records.append(try R(row: row))
        try statement.fetch(into: &records) { try R(row: row) }
        return records
    }
}
