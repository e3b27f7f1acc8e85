extension Writing where Self: ~Copyable {
    /// Makes a table and its indexes; all of them or none.
    ///
    /// ```swift
    /// try db.createTable(Contact.schema)
    /// ```
    ///
    /// - Parameter schema: The table.
    /// - Throws: ``StrongroomError`` with `invalidName` for a name that cannot be used, `sql` when there is such a table.
    public func createTable(_ schema: TableSchema) throws {
        let statements = try schema.creationSQL()
        try savepoint { db in
            for sql in statements { try db.execute(SQL(sql)) }
        }
    }

    /// Removes a table with its rows and indexes.
    ///
    /// - Parameter name: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table.
    public func dropTable(_ name: String) throws {
        try execute("DROP TABLE \(name: name)")
    }

    /// Adds a column at the end of a table; the rows that are there get its default, or NULL.
    ///
    /// - Parameters:
    ///   - column: The column; neither a primary key nor unique, and optional or with a default.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` when the engine cannot add it, see «ALTER TABLE ADD COLUMN»
    ///   (sqlite.org/lang_altertable.html).
    public func addColumn(_ column: some TableColumn, to table: String) throws {
        let definition = SQL(try column.definition.sql())
        try execute("ALTER TABLE \(name: table) ADD COLUMN \(definition)")
    }

    /// Makes an index.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` when there is such an index or no such column, `constraint` when rows are
    ///   not unique.
    public func createIndex(_ index: TableIndex, on table: String) throws {
        try execute(SQL(index.sql(table: table)))
    }

    /// Removes an index.
    ///
    /// - Parameter name: The index's name.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such index.
    public func dropIndex(_ name: String) throws {
        try execute("DROP INDEX \(name: name)")
    }
}

extension Reading where Self: ~Copyable {
    /// The names of the tables, without the engine's and the library's own.
    ///
    /// - Returns: The names in alphabetical order.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func tableNames() throws -> [String] {
        var names: [String] = []
        let query: SQL = """
            SELECT name FROM sqlite_master
            WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name NOT LIKE 'strongroom~_%' ESCAPE '~'
            ORDER BY name
            """
        try forEachRow(query) { row in names.append(try row[0]) }
        return names
    }
}
