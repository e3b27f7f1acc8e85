extension Reading where Self: ~Copyable {
    /// The names of the tables, without the internal tables of the engine and the library.
    ///
    /// - Returns: The names in alphabetical order.
    /// - Throws: ``StrongroomError`` with the engine's error.
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

    /// Whether a table exists; the case of A to Z is ignored.
    ///
    /// - Parameter name: The table's name.
    /// - Returns: True if it exists; a view is not a table.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public func hasTable(_ name: String) throws -> Bool {
        try value(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE", as: Int.self) != nil
    }

    /// The statement that has created a table; nil if there is none, or only a view.
    package func tableText(_ name: String) throws -> String? {
        try value(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE", as: String.self)
    }

    /// The columns of a table or a view in the file.
    ///
    /// ```swift
    /// let names = try db.columns(of: "contact").map(\.name)
    /// ```
    ///
    /// - Parameter table: The table's name.
    /// - Returns: The columns in order.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table, or the engine's error.
    public func columns(of table: String) throws -> [ColumnInfo] {
        let columns = try _handle.connection.checkedColumnInfos(of: table)
        return columns
    }

    /// The indexes of a table, including those created by a primary key or a unique column.
    ///
    /// - Parameter table: The table's name.
    /// - Returns: The indexes, ordered by name.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table, or the engine's error.
    public func indexes(of table: String) throws -> [IndexInfo] {
        _ = try _handle.connection.checkedColumnInfos(of: table)
        return try _handle.connection.indexInfos(of: table)
    }
}

extension Writing where Self: ~Copyable {
    /// The row id of the last row that this connection inserted; 0 before the first.
    ///
    /// See "Last Insert Rowid" (sqlite.org/c3ref/last_insert_rowid.html).
    public var lastInsertedRowID: Int64 { _handle.connection.lastInsertedRowID }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed, without changes by triggers and foreign
    /// key actions.
    public var changedRows: Int { _handle.connection.changes }

    /// The number of rows changed since the transaction began, including changes by triggers and foreign key actions,
    /// and changes that were rolled back.
    public var changedRowsInTransaction: Int { _handle.connection.totalChanges - _handle.changesBefore }
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
