extension Writing where Self: ~Copyable {
    /// Creates a view: a query that can be read like a table.
    ///
    /// ```swift
    /// try db.createView("adult", as: "SELECT * FROM contact WHERE age >= 18")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The view's name.
    ///   - query: The query; no bound values. See "CREATE VIEW" (sqlite.org/lang_createview.html).
    ///   - ifNotExists: Whether a table or a view with that name may exist; it is then not changed.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` if the name exists or the query is invalid,
    ///   `invalidDeclaration` if it has a bound value, `schemaChange` if it reads a table or a column that does not
    ///   exist.
    public func createView(_ name: String, as query: SQL, ifNotExists: Bool = false) throws {
        try Identifier.check(name, "view")
        let text = try query.literalText("view \"\(name)\"")
        let condition = ifNotExists ? "IF NOT EXISTS " : ""
        try savepoint { db in
            try db.execute(SQL(verbatim: "CREATE VIEW \(condition)\(Identifier.quote(name)) AS \(text)"))
            // The engine checks the query only when the view is read.
            guard let words = db._handle.connection.objection(to: "SELECT * FROM \(Identifier.quote(name))") else {
                return
            }
            throw StrongroomError(
                .schemaChange, "View \"\(name)\" cannot be read (\(words)); correct its query.",
                database: db._handle.connection.database)
        }
    }

    /// Drops a view; the tables that it reads are not changed.
    ///
    /// - Parameters:
    ///   - name: The view's name.
    ///   - ifExists: Whether the view may be missing.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such view.
    public func dropView(_ name: String, ifExists: Bool = false) throws {
        try execute(ifExists ? "DROP VIEW IF EXISTS \(name: name)" : "DROP VIEW \(name: name)")
    }

    /// Creates a trigger.
    ///
    /// - Parameter trigger: The trigger.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` if the trigger exists, there is no such table, or a
    ///   statement is invalid, `invalidDeclaration` if one has a bound value, `schemaChange` if it uses a table or a
    ///   column that does not exist.
    public func createTrigger(_ trigger: Trigger) throws {
        let sql = try trigger.sql()
        try savepoint { db in
            let connection = db._handle.connection
            try db.execute(SQL(verbatim: sql))
            // The engine checks the statements only when the trigger fires.
            let broken = try connection.brokenStatements().all
            guard let words = broken.first(where: { Identifier.areSame($0.entry.name, trigger.name) })?.words else {
                return
            }
            throw StrongroomError(
                .schemaChange, "Trigger \"\(trigger.name)\" cannot run (\(words)); correct its statements.",
                database: connection.database)
        }
    }

    /// Drops a trigger.
    ///
    /// - Parameters:
    ///   - name: The trigger's name.
    ///   - ifExists: Whether the trigger may be missing.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such trigger.
    public func dropTrigger(_ name: String, ifExists: Bool = false) throws {
        try execute(ifExists ? "DROP TRIGGER IF EXISTS \(name: name)" : "DROP TRIGGER \(name: name)")
    }
}
