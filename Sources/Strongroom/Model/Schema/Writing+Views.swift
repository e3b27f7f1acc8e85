extension Writing where Self: ~Copyable {
    /// Makes a view: a query that is read like a table.
    ///
    /// ```swift
    /// try db.createView("adult", as: "SELECT * FROM contact WHERE age >= 18")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The view's name.
    ///   - query: The query; no bound values. See "CREATE VIEW" (sqlite.org/lang_createview.html).
    ///   - ifNotExists: Whether a table or a view of that name may be there already; it is then left as it is.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` when the name is taken, or the query is none or has a
    ///   bound value, `schemaChange` when it reads a table or a column that is not there.
    public func createView(_ name: String, as query: SQL, ifNotExists: Bool = false) throws {
        try Identifier.check(name, "view")
        let text = try query.literalText("view \"\(name)\"")
        let condition = ifNotExists ? "IF NOT EXISTS " : ""
        try savepoint { db in
            try db.execute(SQL(verbatim: "CREATE VIEW \(condition)\(Identifier.quote(name)) AS \(text)"))
            // The engine looks at the query only when it is read.
            guard let words = db.handle.connection.objection(to: "SELECT * FROM \(Identifier.quote(name))") else {
                return
            }
            throw StrongroomError(
                .schemaChange, "View \"\(name)\" cannot be read (\(words)); correct its query.",
                database: db.handle.connection.database)
        }
    }

    /// Removes a view; the tables that it reads stay as they are.
    ///
    /// - Parameters:
    ///   - name: The view's name.
    ///   - ifExists: Whether it may be missing.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such view.
    public func dropView(_ name: String, ifExists: Bool = false) throws {
        try execute(ifExists ? "DROP VIEW IF EXISTS \(name: name)" : "DROP VIEW \(name: name)")
    }

    /// Makes a trigger.
    ///
    /// - Parameter trigger: The trigger.
    /// - Throws: ``StrongroomError`` with `invalidName`, `sql` when there is such a trigger or no such table, or when a
    ///   statement is none or has a bound value, `schemaChange` when it uses a table or a column that is not there.
    public func createTrigger(_ trigger: Trigger) throws {
        let sql = try trigger.sql()
        try savepoint { db in
            let connection = db.handle.connection
            try db.execute(SQL(verbatim: sql))
            // The engine looks at the statements only when it fires.
            let broken = try connection.brokenStatements().all
            guard let words = broken.first(where: { Identifier.areSame($0.entry.name, trigger.name) })?.words else {
                return
            }
            throw StrongroomError(
                .schemaChange, "Trigger \"\(trigger.name)\" cannot run (\(words)); correct its statements.",
                database: connection.database)
        }
    }

    /// Removes a trigger.
    ///
    /// - Parameters:
    ///   - name: The trigger's name.
    ///   - ifExists: Whether it may be missing.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such trigger.
    public func dropTrigger(_ name: String, ifExists: Bool = false) throws {
        try execute(ifExists ? "DROP TRIGGER IF EXISTS \(name: name)" : "DROP TRIGGER \(name: name)")
    }
}
