extension Writing where Self: ~Copyable {
    /// Makes a table and its indexes; all of them or none.
    ///
    /// ```swift
    /// try db.createTable(Contact.schema)
    /// ```
    ///
    /// - Parameters:
    ///   - schema: The table.
    ///   - ifNotExists: Whether a table or an index of that name may be there already; it is then left as it is.
    /// - Throws: ``StrongroomError`` with `invalidName` for a name that cannot be used, `sql` when there is such a
    ///   table or a check has a bound value, `schemaChange` for a generated column that the engine does not know.
    public func createTable(_ schema: TableSchema, ifNotExists: Bool = false) throws {
        let statements = try schema.creationSQL(ifNotExists: ifNotExists)
        try savepoint { db in
            for sql in statements { try db.execute(SQL(verbatim: sql)) }
        }
    }

    /// Removes a table with its rows, indexes and triggers.
    ///
    /// In a `write`, rows of other tables that point to its rows are treated as if these were deleted; see "DROP TABLE"
    /// (sqlite.org/lang_droptable.html). Not so in a ``Migration``, where foreign keys are not enforced: no `ON DELETE`
    /// runs, and rows that still point to the table at the end of the step undo it. Delete these, or change their
    /// column, in the same step.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - ifExists: Whether it may be missing.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table, `constraint` when rows still point to its
    ///   rows; in a migration that is found at the end of the step, which fails with `migrationFailed`.
    public func dropTable(_ name: String, ifExists: Bool = false) throws {
        try execute(ifExists ? "DROP TABLE IF EXISTS \(name: name)" : "DROP TABLE \(name: name)")
    }

    /// Makes an index.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - table: The table's name.
    ///   - ifNotExists: Whether an index of that name may be there already; it is then left as it is.
    /// - Throws: ``StrongroomError`` with `sql` when there is such an index or no such column, `constraint` when rows
    ///   are not unique.
    public func createIndex(_ index: TableIndex, on table: String, ifNotExists: Bool = false) throws {
        try execute(SQL(verbatim: try index.sql(table: table, ifNotExists: ifNotExists)))
    }

    /// Removes an index.
    ///
    /// - Parameters:
    ///   - name: The index's name.
    ///   - ifExists: Whether it may be missing.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such index.
    public func dropIndex(_ name: String, ifExists: Bool = false) throws {
        try execute(ifExists ? "DROP INDEX IF EXISTS \(name: name)" : "DROP INDEX \(name: name)")
    }

    /// Gives a table another name; its indexes, triggers and views and the references to it follow.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - newName: The other name.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` when there is no such table or the new name is taken,
    ///   `schemaChange` when a view or a trigger cannot follow; nothing was changed.
    public func renameTable(_ name: String, to newName: String) throws {
        try Identifier.check(newName, "table")
        note("rename table \(name) to \(newName)")
        try savepoint { db in try TableRenaming(db.handle.connection, name, newName).run() }
    }

    /// Tells whoever keeps what a migration does; the statements that make up the change differ from engine to engine.
    func note(_ change: String) {
        handle.connection.recorder?.note(change)
    }
}
