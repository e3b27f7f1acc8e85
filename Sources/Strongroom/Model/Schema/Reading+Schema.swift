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

    /// Whether there is a table of a name; case does not count for A to Z.
    ///
    /// - Parameter name: The table's name.
    /// - Returns: True when there is; a view is no table.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func hasTable(_ name: String) throws -> Bool {
        try value(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE", as: Int.self) != nil
    }

    /// The columns of a table or a view, as the file has them.
    ///
    /// ```swift
    /// let names = try db.columns(of: "contact").map(\.name)
    /// ```
    ///
    /// - Parameter table: The table's name.
    /// - Returns: The columns in order.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table, or the engine's failure.
    public func columns(of table: String) throws -> [ColumnInfo] {
        let columns = try handle.connection.checkedColumnInfos(of: table)
        return columns
    }

    /// The indexes of a table, also those that a primary key or a unique column has made.
    ///
    /// - Parameter table: The table's name.
    /// - Returns: The indexes by name.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table, or the engine's failure.
    public func indexes(of table: String) throws -> [IndexInfo] {
        _ = try handle.connection.checkedColumnInfos(of: table)
        return try handle.connection.indexInfos(of: table)
    }
}

extension Writing where Self: ~Copyable {
    /// The row id of the last row that this connection inserted; 0 before the first.
    ///
    /// See "Last Insert Rowid" (sqlite.org/c3ref/last_insert_rowid.html).
    public var lastInsertedRowID: Int64 { handle.connection.lastInsertedRowID }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed, without those changed by triggers and
    /// foreign keys.
    public var changedRows: Int { handle.connection.changes }

    /// The number of rows changed since the transaction began, with those changed by triggers and foreign keys, and
    /// those of work that was undone.
    public var changedRowsInTransaction: Int { handle.connection.totalChanges - handle.changesBefore }
}

extension Connection {
    func checkedColumnInfos(of table: String) throws -> [ColumnInfo] {
        try checkTransaction()
        try Identifier.check(table, "table")
        let columns = try columnInfos(of: table)
        guard !columns.isEmpty else { throw StrongroomError(.sql, "no such table: \(table).", database: database) }
        return columns
    }
}
