extension Writing where Self: ~Copyable {
    /// Creates a table, its indexes, and the history and the full-text indexes that it declares, atomically:
    /// `db.createTable(Contact.schema)`.
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
    /// TABLE" (sqlite.org/lang_droptable.html). In a ``Migration`` no `ON DELETE` action runs: delete the rows that
    /// reference the table, or change their column, in the same step.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - ifExists: Whether the table may be missing.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table, `constraint` if rows still reference its
    ///   rows; in a migration the end of the step fails with `migrationFailed`.
    public func dropTable(_ name: String, ifExists: Bool = false) throws {
        try savepoint { db in
            let connection = db._handle.connection
            try connection.breakHistory(of: name)
            try connection.keepNumbers(of: name)
            try connection.dropFullText(ofTable: name)
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

    /// Rebuilds the indexes that sort by a collation, after a change of its order: `db.reindex(.locale("sv"))`. See
    /// SQLite's documentation, "REINDEX" (sqlite.org/lang_reindex.html).
    ///
    /// - Parameter collation: The collation, which the connection must have.
    /// - Throws: ``StrongroomError`` with `constraint` if rows of a unique index are now equal, and nothing is changed;
    ///   `missingCollation` if there is no such collation.
    public func reindex(_ collation: Collation) throws {
        // The engine calls a collation that it has not used yet an unknown object.
        _ = try value("SELECT '' = ('' COLLATE \(name: collation.name))", as: Int.self)
        try execute("REINDEX \(name: collation.name)")
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
            let connection = db._handle.connection
            let fullText = try connection.dropFullText(ofTable: name)
            try connection.renameTableWithHistory(name, to: newName)
            try connection.createAnew(fullText) { $0.table = newName }
        }
    }

    /// Reports a schema change to the recorder of a migration; the statements of the change differ between engines.
    func record(_ change: String) {
        _handle.connection.recorder?.record(change)
    }
}

extension Writing where Self: ~Copyable {
    /// Adds a column at the end of a table; existing rows get its default, or NULL. What the engine's `ADD COLUMN` does
    /// not support rebuilds the table.
    ///
    /// - Parameters:
    ///   - column: The column; if the table has rows, it must be optional or have a default.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` if there is no such table or the column exists,
    ///   `schemaChange` if the column is a primary key or existing rows have no value for it, `constraint` if the rows
    ///   violate its constraint.
    public func addColumn(_ column: some SchemaColumn, to table: String) throws {
        let definition = column.definition
        try record("add column to \(table): \(definition.sql())")
        try savepoint { db in
            try ColumnChange(db._handle.connection, table).add(definition)
            guard definition.isIndexed else { return }
            try db.createIndex(TableIndex(of: definition), on: table)
        }
    }

    /// Renames a column, and updates indexes, triggers, views, checks and foreign keys.
    ///
    /// An engine before SQLite 3.25 has no RENAME COLUMN: the library edits the schema's text, creates full-text
    /// indexes anew, and throws if a view or a trigger uses the name in another way than after `NEW` or `OLD`.
    ///
    /// - Parameters:
    ///   - name: The column's name.
    ///   - newName: The new name.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` if there is no such table or column or the new name
    ///   exists, `schemaChange` if a view or a trigger cannot be updated; nothing was changed.
    public func renameColumn(_ name: String, to newName: String, in table: String) throws {
        try Identifier.check(newName, "column")
        record("rename column \(name) of \(table) to \(newName)")
        try savepoint { db in
            let connection = db._handle.connection
            let isByEngine = try EngineFeatures.current().hasRenameColumn
            let fullText = isByEngine ? [] : try connection.dropFullText(ofTable: table)
            try ColumnChange(connection, table).rename(name, to: newName)
            try connection.renameInHistory(of: table, name, to: newName)
            try connection.adaptFullText(of: table)
            try connection.createAnew(fullText) { index in
                index.columns = index.columns.map { Identifier.areSame($0, name) ? newName : $0 }
            }
        }
    }

    /// Drops a column with its values and its column constraints.
    ///
    /// - Parameters:
    ///   - name: The column's name.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table or column, `schemaChange` if the primary key,
    ///   an index, a trigger, a view, a check or a foreign key depends on it: the message names all of them; nothing
    ///   was changed.
    public func dropColumn(_ name: String, from table: String) throws {
        record("drop column \(name) of \(table)")
        try savepoint { db in try ColumnChange(db._handle.connection, table).drop(name) }
    }

    /// Changes the type, default or constraints of a column; the new declaration replaces the previous one.
    ///
    /// Values are converted as the engine converts values that are written to such a column; a text in a BLOB column
    /// becomes its bytes, and a column of ``SQLValue`` accepts every value unchanged. A value that does not fit or
    /// would change is an error. NULLs become the default if the column no longer allows NULL; a column that becomes
    /// generated loses its values. Numbers and digits that become decimals get the form of decimals, or become scaled
    /// integers. See <doc:ChangingTheSchema> and <doc:Types>.
    ///
    /// - Parameters:
    ///   - column: The new declaration of the column with that name.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table or column, `schemaChange` for a primary key
    ///   and for values that the new type cannot represent or would change, `constraint` if rows violate a constraint,
    ///   regardless of the table's `ON CONFLICT` clauses; nothing was changed.
    public func changeColumn(_ column: some SchemaColumn, in table: String) throws {
        let definition = column.definition
        try record("change column of \(table): \(definition.sql())")
        try savepoint { db in try ColumnChange(db._handle.connection, table).change(to: definition) }
    }
}

extension TableSchema {
    /// The columns that have their previous name in a table of the file, ordered so that a name is free before it is
    /// taken: the new name may be the previous name of another column.
    func renamings(of names: [String], _ connection: Connection) throws -> [(from: String, to: String)] {
        var taken = names
        var waiting = columns.compactMap { column -> (from: String, to: String)? in
            guard let old = column.previousName, let index = Identifier.index(of: old, in: names),
                !names[index].utf8.elementsEqual(column.name.utf8)
            else { return nil }
            // A declared column with the previous name that is not renamed itself is a different column, if the file
            // has both.
            let isOther =
                !Identifier.areSame(old, column.name) && Identifier.index(of: column.name, in: names) != nil
                && columns.contains { Identifier.areSame($0.name, old) && $0.previousName == nil }
            return isOther ? nil : (names[index], column.name)
        }
        var renamed: [(from: String, to: String)] = []
        while let position = waiting.firstIndex(where: { next in
            !taken.contains { Identifier.areSame($0, next.to) && $0 != next.from }
        }) {
            let next = waiting.remove(at: position)
            taken.removeAll { $0 == next.from }
            taken.append(next.to)
            renamed.append(next)
        }
        // The remaining ones have both names in the file, which is an error unless the previous name is that of a
        // declared column.
        if let both = waiting.first(where: { old in !columns.contains { Identifier.areSame($0.name, old.from) } }) {
            throw connection.refusal(
                """
                The table "\(name)" has both "\(both.from)" and "\(both.to)", whose previous name is \
                "\(both.from)"; merge the values and drop one. Nothing was changed.
                """)
        }
        return renamed
    }
}

extension Connection {
    /// Creates full-text indexes that were dropped, with other names.
    fileprivate func createAnew(_ indexes: [StoredFullText], _ rename: (inout StoredFullText) -> Void) throws {
        let entries = try schemaEntries()
        for var index in indexes {
            rename(&index)
            try create(FullTextTable(index, self, entries), entries)
        }
    }

    /// Renames a column with the values of a table's column in its history, if it has one.
    fileprivate func renameInHistory(of table: String, _ name: String, to newName: String) throws {
        let history = HistoryTable.name(of: table)
        guard let columns = try historyColumns(history) else { return }
        for historyName in [HistoryTable.keyName(of:), HistoryTable.oldName(of:)] {
            guard Identifier.index(of: historyName(name), in: columns) != nil else { continue }
            let isTaken =
                Identifier.index(of: historyName(newName), in: columns) != nil && !Identifier.areSame(name, newName)
            guard !isTaken else {
                // It has the values of an earlier column with that name.
                try breakHistory(of: table, unread: newName)
                continue
            }
            try ColumnChange(self, history).rename(historyName(name), to: historyName(newName))
        }
    }
}
