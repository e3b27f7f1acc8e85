extension Reading where Self: ~Copyable {
    /// Runs a query and passes each row to a closure, one at a time.
    ///
    /// ```swift
    /// try db.forEachRow("SELECT name, size FROM package WHERE size > \(limit)") { row in
    ///     let name: String = try row[0]
    ///     print(name)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The query; values are interpolated.
    ///   - body: Called with each row, which is valid only during the call. The rows are those that there were when
    ///     the query began, also if the closure changes them: see <doc:AskingForRows>.
    /// - Throws: ``StrongroomError`` with `sql`, `notAuthorized`, `readOnly`, or the engine's error; errors of the
    ///   closure.
    @inlinable
    public func forEachRow(_ sql: SQL, _ body: (borrowing Row) throws -> Void) throws {
        let connection = _handle.connection
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        guard let rows = connection.openRows(of: statement) else {
            let row = Row(statement)
            while try statement.step() { try body(row) }
            return
        }
        defer { connection.closeRows() }
        try withExtendedLifetime(rows) {
            let row = Row(rows)
            while try rows.next() { try body(row) }
        }
    }

    /// The first column of a query's first row.
    ///
    /// ```swift
    /// let total = try db.value("SELECT sum(size) FROM package", as: Int64?.self)
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The query; values are interpolated.
    ///   - type: The type of the value.
    /// - Returns: The value, or nil if the query returns no row.
    /// - Throws: ``StrongroomError`` with `sql`, `notAuthorized`, `typeMismatch`, or the engine's error.
    @inlinable
    public func value<V: ColumnValue>(_ sql: SQL, as type: V.Type = V.self) throws -> V? {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        return try statement.step() ? V(from: Row(statement), at: 0) : nil
    }
}

extension Writing where Self: ~Copyable {
    /// Runs a statement.
    ///
    /// ```swift
    /// let changed = try db.execute("UPDATE contact SET phone = \(phone) WHERE id = \(id)")
    /// ```
    ///
    /// - Parameter sql: One statement; values are interpolated.
    /// - Returns: The number of inserted, updated or deleted rows.
    /// - Throws: ``StrongroomError`` with `sql`, `notAuthorized` (also for a temporary table or view with the name of
    ///   one in the file, or the reverse), `constraint`, or the engine's error.
    @discardableResult
    public func execute(_ sql: SQL) throws -> Int {
        let connection = _handle.connection
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        let before = connection.totalChanges
        if statement.tables.makesIndex {
            try connection.withRoomForSorting { try statement.run() }
        } else {
            try statement.run()
        }
        return connection.totalChanges == before ? 0 : connection.changes
    }
}

extension Connection {
    @usableFromInline
    func statement(for sql: SQL) throws -> Statement {
        try check(sql)
        return try statement(sql.text).binding(sql.values)
    }

    /// The statement of a typed query, with its values bound.
    ///
    /// - Parameters:
    ///   - clauses: The clauses after FROM.
    ///   - rows: Identifies what is selected, and from which table.
    ///   - beginning: Makes the clauses before them.
    @usableFromInline
    func statement(of clauses: QueryClauses, for rows: Any.Type, beginning: () -> String) throws -> Statement {
        // Empty where there is none: an optional would be copied again and again.
        let condition = clauses.condition?.sql ?? SQL(verbatim: "")
        let rest = clauses.rest
        try check(condition)
        try check(rest)
        let key = OperationKey(rows, (clauses.isDistinct ? 1 : 0) + (clauses.condition == nil ? 0 : 2))
        let statement = try statement(of: key, condition: condition.text, rest: rest.text) {
            clauses.sql(after: text(key, make: beginning)).text
        }
        return try statement.binding(condition.values, rest.values)
    }

    private func check(_ sql: SQL) throws {
        guard sql.hasSupplement else { return }
        if let defect = sql.defect { throw defect }
        for table in sql.requiredTables { try table.prepare(self) }
    }
}

extension Statement {
    /// Binds the values of one text, or of two that follow each other.
    func bind(_ values: [SQLValue], _ rest: [SQLValue] = []) throws {
        let (expected, given) = (parameterCount, values.count + rest.count)
        guard expected == given else {
            // The engine takes a `?` within quotes, or in a comment, for text.
            let advice =
                expected < given
                ? "a value interpolated within quotes is text and no parameter; leave out the quotes, as in \\(name)"
                : "interpolate each value, as in \\(limit)"
            throw StrongroomError(
                .sql,
                """
                The SQL has \(expected.counting("parameter")) and \(given.counting("value")); \(advice).
                """,
                sql: sql
            )
        }
        let bindings = Bindings(self)
        for (index, value) in values.enumerated() { try bindings.bind(value, at: index) }
        for (index, value) in rest.enumerated() { try bindings.bind(value, at: values.count + index) }
    }

    /// The statement with its values; when they cannot be bound, it is finished.
    fileprivate func binding(_ values: [SQLValue], _ rest: [SQLValue] = []) throws -> Statement {
        do {
            try bind(values, rest)
        } catch {
            finish()
            throw error
        }
        return self
    }
}

extension Reading where Self: ~Copyable {
    /// The names of a query's result columns, also if it returns no rows.
    ///
    /// ```swift
    /// let header = try db.columnNames(of: "SELECT name, size FROM package")
    /// ```
    ///
    /// - Parameter sql: The query, which is not executed; values are interpolated.
    /// - Returns: The names in order, as the engine reports them; empty for a statement without a result.
    /// - Throws: ``StrongroomError`` with `sql`, `notAuthorized`, or the engine's error.
    public func columnNames(of sql: SQL) throws -> [String] {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        return (0..<row.count).map { row.name(at: $0) ?? "" }
    }
}

extension Reading where Self: ~Copyable {
    /// Runs a query and returns each row as a dictionary, by column name.
    ///
    /// ```swift
    /// let rows = try db.dictionaries("SELECT name, age / 10 AS decade FROM contact WHERE age > \(limit)")
    /// for row in rows { print(row["name"]?.string ?? "", row["decade"]?.int ?? 0) }
    /// ```
    ///
    /// For rows of a known form a record is faster and typed: `fetch(_:_:)`.
    ///
    /// - Parameter sql: The query; values are interpolated. Give a column that is computed a name, with `AS`.
    /// - Returns: The rows in order; NULL is ``SQLValue/null``, not a missing value.
    /// - Throws: ``StrongroomError`` with `sql` (also if two columns have one name, which the message tells),
    ///   `notAuthorized`, `readOnly`, or the engine's error.
    public func dictionaries(_ sql: SQL) throws -> [[String: SQLValue]] {
        try rows(of: sql, limit: .max)
    }

    /// Runs a query and returns its first row as a dictionary, by column name.
    ///
    /// ```swift
    /// let totals = try db.dictionary("SELECT count(*) AS number, max(age) AS oldest FROM contact")
    /// ```
    ///
    /// - Parameter sql: The query; values are interpolated.
    /// - Returns: The row, or nil if the query returns none.
    /// - Throws: As ``dictionaries(_:)``.
    public func dictionary(_ sql: SQL) throws -> [String: SQLValue]? {
        try rows(of: sql, limit: 1).first
    }

    private func rows(of sql: SQL, limit: Int) throws -> [[String: SQLValue]] {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        var rows: [[String: SQLValue]] = []
        // Before the names are read: the engine prepares a statement again at its first step if the schema has changed.
        var hasRow = try statement.step()
        let row = Row(statement)
        let names = (0..<row.count).map { row.name(at: $0) ?? "" }
        var seen: Set<String> = []
        if let name = names.first(where: { !seen.insert($0).inserted }) {
            throw StrongroomError(
                .sql,
                """
                The query returns two columns with the name "\(name)", and a dictionary has one value for each name; \
                name one of them differently, with AS.
                """,
                sql: sql.text)
        }
        while hasRow, rows.count < limit {
            var found = [String: SQLValue](minimumCapacity: names.count)
            for (index, name) in names.enumerated() { found[name] = try row.value(at: index) }
            rows.append(found)
            hasRow = try rows.count < limit && statement.step()
        }
        return rows
    }
}
