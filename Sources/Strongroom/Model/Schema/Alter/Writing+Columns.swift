extension Writing where Self: ~Copyable {
    /// Adds a column at the end of a table; the rows that are there get its default, or NULL.
    ///
    /// What the engine's `ADD COLUMN` refuses (a unique column, a reference with a default, NOT NULL without default
    /// while there are no rows) is done by making the table anew.
    ///
    /// - Parameters:
    ///   - column: The column; optional or with a default where the table has rows.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` when there is no such table or the column is there,
    ///   `schemaChange` when it would be a primary key or the rows have nothing to put into it, `constraint` when the
    ///   rows break its constraint.
    public func addColumn(_ column: some TableColumn, to table: String) throws {
        let definition = column.definition
        try note("add column to \(table): \(definition.sql())")
        try savepoint { db in
            let change = try ColumnChange(db.handle.connection, table)
            try change.add(definition)
            guard definition.isIndexed else { return }
            try db.createIndex(TableIndex(nil, parts: [.column(definition.name)], unique: false, where: nil), on: table)
        }
    }

    /// Gives a column another name; indexes, triggers, views, checks and foreign keys follow.
    ///
    /// An engine older than SQLite 3.25 cannot do it: there the library edits the schema's text, and refuses where a
    /// view or a trigger does not tell whose column of that name it means.
    ///
    /// - Parameters:
    ///   - name: The column's name.
    ///   - newName: The other name.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` when there is no such table or column or the new name is
    ///   taken, `schemaChange` when a view or a trigger cannot follow; nothing was changed.
    public func renameColumn(_ name: String, to newName: String, in table: String) throws {
        try Identifier.check(newName, "column")
        note("rename column \(name) of \(table) to \(newName)")
        try savepoint { db in
            let connection = db.handle.connection
            try ColumnRenaming(connection, table: table, column: name, newName: newName).run()
        }
    }

    /// Renames the columns that a table still has under the names which its schema says they had before.
    ///
    /// ```swift
    /// // @Column("e-mail", previously: "mail") var email: String
    /// Migration("2") { db in try db.renameColumns(of: Contact.schema) }
    /// ```
    ///
    /// A column that has its new name already is left alone, so a second run changes nothing.
    ///
    /// - Parameter schema: The table as it is to be; only the names of its columns count.
    /// - Returns: The new names of the columns that were renamed, in the schema's order.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table, `schemaChange` when it has columns of both
    ///   names, or when a view or a trigger cannot follow; nothing was changed.
    @discardableResult
    public func renameColumns(of schema: TableSchema) throws -> [String] {
        try savepoint { db in
            let names = try db.columns(of: schema.name).map(\.name)
            var waiting = schema.columns.filter { column in
                guard let old = column.previousName, old != column.name else { return false }
                return names.contains { Identifier.areSame($0, old) }
            }
            var taken = names
            var renamed: Set<String> = []
            // One may wait for the name of another that moves away.
            while let place = waiting.firstIndex(where: { column in
                !taken.contains { Identifier.areSame($0, column.name) }
                    || Identifier.areSame(column.name, column.previousName ?? "")
            }) {
                let column = waiting.remove(at: place)
                let old = column.previousName ?? ""
                try db.renameColumn(old, to: column.name, in: schema.name)
                taken.removeAll { Identifier.areSame($0, old) }
                taken.append(column.name)
                renamed.insert(column.name)
            }
            if let column = waiting.first, let old = column.previousName {
                throw StrongroomError(
                    .schemaChange,
                    """
                    The table "\(schema.name)" has both "\(old)" and "\(column.name)", which was once "\(old)"; bring \
                    the values together and drop one.
                    """
                )
            }
            return schema.columns.map(\.name).filter(renamed.contains)
        }
    }

    /// Removes a column with what is stored in it, and the constraints that stand with it.
    ///
    /// - Parameters:
    ///   - name: The column's name.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table or column, `schemaChange` when the primary
    ///   key, an index, a trigger, a view, a check or a foreign key needs it: the message names all of them; nothing
    ///   was changed.
    public func dropColumn(_ name: String, from table: String) throws {
        note("drop column \(name) of \(table)")
        try savepoint { db in try ColumnChange(db.handle.connection, table).drop(name) }
    }

    /// Gives a column another type, default or constraints; all that stood with it before is replaced.
    ///
    /// The values are converted as the engine converts what is written into such a column; a text in a column of bytes
    /// becomes the bytes of its text in the file's encoding, which is UTF-8 where the library made the file. A column
    /// of ``Value`` takes every value as it is. One that does not fit, or would be another one, is refused: a text that
    /// is no number, or is written as no number would be (`0012`), a number in a column of bytes, an integer that a
    /// floating-point number cannot tell from its neighbours. NULLs become the default where the column may hold none
    /// any more. A column that becomes generated loses what was stored in it. Numbers and digits that become decimals
    /// get the form that sorts, or become scaled integers where the column has a scale, and decimals that become
    /// something else are their digits; see <doc:Types>.
    ///
    /// A row that breaks a constraint ends the change, whatever `ON CONFLICT` the table has for it: no row is left out.
    ///
    /// - Parameters:
    ///   - column: What the column of that name is to be.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table or column, `schemaChange` for a primary key
    ///   and for values that the new type cannot hold or would make others, `constraint` when the rows break a
    ///   constraint; nothing was changed.
    public func changeColumn(_ column: some TableColumn, in table: String) throws {
        let definition = column.definition
        try note("change column of \(table): \(definition.sql())")
        try savepoint { db in try ColumnChange(db.handle.connection, table).change(to: definition) }
    }
}
