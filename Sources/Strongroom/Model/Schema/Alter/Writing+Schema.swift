extension Writing where Self: ~Copyable {
    /// Creates a table and its indexes, and the history and the full-text indexes that it declares, atomically.
    ///
    /// ```swift
    /// try db.createTable(Contact.schema)
    /// ```
    ///
    /// - Parameters:
    ///   - schema: The table.
    ///   - ifNotExists: Whether a table or an index with that name may exist; it is then not changed.
    /// - Throws: ``StrongroomError`` with `invalidName` for an invalid name, `sql` if the table exists,
    ///   `invalidDeclaration` if a check has a bound value, `notSupported` for a generated column that the engine does
    ///   not support.
    public func createTable(_ schema: TableSchema, ifNotExists: Bool = false) throws {
        let statements = try schema.creationSQL(ifNotExists: ifNotExists)
        try savepoint { db in
            for sql in statements { try db.execute(SQL(verbatim: sql)) }
            if schema.history != nil { try db.keepHistory(of: schema) }
            if !schema.fullText.isEmpty { try db.keepFullText(of: schema) }
        }
    }

    /// Drops a table with its rows, indexes, full-text indexes and triggers.
    ///
    /// In a `write`, rows of other tables that reference its rows are treated as if these rows were deleted; see "DROP
    /// TABLE" (sqlite.org/lang_droptable.html). In a ``Migration``, foreign keys are not enforced: no `ON DELETE`
    /// action runs, and rows that still reference the table at the end of the step roll it back. Delete these rows, or
    /// change their column, in the same step.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - ifExists: Whether the table may be missing.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table, `constraint` if rows still reference its
    ///   rows; in a migration this is detected at the end of the step, which fails with `migrationFailed`.
    public func dropTable(_ name: String, ifExists: Bool = false) throws {
        try savepoint { db in
            let connection = db._handle.connection
            try connection.breakHistory(of: name)
            try connection.keepNumbers(of: name)
            let fullText = StoredFullText.all(in: try connection.schemaEntries(), of: name)
            for index in fullText { try connection.dropFullText(index.name) }
            try db.execute(ifExists ? "DROP TABLE IF EXISTS \(name: name)" : "DROP TABLE \(name: name)")
        }
    }

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - table: The table's name.
    ///   - ifNotExists: Whether an index with that name may exist; it is then not changed.
    /// - Throws: ``StrongroomError`` with `sql` if the index exists or there is no such column, `constraint` if rows
    ///   are not unique.
    public func createIndex(_ index: TableIndex, on table: String, ifNotExists: Bool = false) throws {
        let sql = SQL(verbatim: try index.sql(table: table, ifNotExists: ifNotExists))
        try savepoint { db in
            try db.execute(sql)
            if index.isUnique { try db._handle.connection.adaptFullText(of: table) }
        }
    }

    /// Drops an index.
    ///
    /// - Parameters:
    ///   - name: The index's name.
    ///   - ifExists: Whether the index may be missing.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such index.
    public func dropIndex(_ name: String, ifExists: Bool = false) throws {
        try savepoint { db in
            let connection = db._handle.connection
            let table = try connection.schemaEntries().first { $0.kind == .index && Identifier.areSame($0.name, name) }
            try db.execute(ifExists ? "DROP INDEX IF EXISTS \(name: name)" : "DROP INDEX \(name: name)")
            if let table { try connection.adaptFullText(of: table.table) }
        }
    }

    /// Renames a table, and updates its indexes, triggers and views and the references to it. Its history is renamed,
    /// too: from `patient_history` to `person_history`, for example. Its full-text indexes are created anew.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - newName: The new name.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` if there is no such table or the new name exists,
    ///   `schemaChange` if a view or a trigger cannot be updated, if another table has the name of the renamed history,
    ///   or if the table is the history of another one; nothing was changed.
    public func renameTable(_ name: String, to newName: String) throws {
        try Identifier.check(newName, "table")
        record("rename table \(name) to \(newName)")
        try savepoint { db in
            let renaming = try TableRenaming(db._handle.connection, name, newName)
            let history = try HistoryRenaming(db._handle.connection, name, newName)
            let fullText = try FullTextRenaming(db._handle.connection, name, newName)
            try history?.stop()
            try fullText.stop()
            try renaming.run()
            try history?.resume()
            try fullText.resume()
        }
    }

    /// Reports a schema change to the recorder of a migration; the statements of the change differ between engines.
    func record(_ change: String) {
        _handle.connection.recorder?.record(change)
    }
}
