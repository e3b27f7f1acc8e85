/// Statements that the engine runs for each row that is inserted, updated or deleted.
///
/// ```swift
/// Trigger("contact_is_new", .after, .insert, on: "contact", "INSERT INTO log (contact) VALUES (new.id)")
/// Trigger("name_changed", .after, .updateOf("name"), on: "contact", when: "old.name <> new.name",
///     "UPDATE contact SET changes = changes + 1 WHERE id = new.id")
/// ```
///
/// See SQLite's documentation, "CREATE TRIGGER" (sqlite.org/lang_createtrigger.html).
public struct Trigger: Sendable {
    /// When the statements run.
    public enum Moment: String, Sendable {
        /// Before the row is changed.
        case before = "BEFORE"
        /// After the row is changed.
        case after = "AFTER"
        /// Instead of the change; for a view.
        case insteadOf = "INSTEAD OF"
    }

    /// The event that fires a trigger.
    public struct Event: Sendable, Hashable {
        fileprivate let word: String
        fileprivate var columns: [String] = []

        /// An inserted row.
        public static let insert = Event(word: "INSERT")
        /// An updated row.
        public static let update = Event(word: "UPDATE")
        /// A deleted row.
        public static let delete = Event(word: "DELETE")

        /// An `UPDATE` that sets one of some columns, whether its value changes or not.
        ///
        /// - Parameter columns: The columns' names.
        /// - Returns: The event.
        public static func updateOf(_ columns: String...) -> Event { Event(word: "UPDATE", columns: columns) }
    }

    /// The trigger's name.
    public let name: String
    /// When the statements run.
    public let moment: Moment
    /// The event that fires the trigger.
    public let event: Event
    /// The table, or the view.
    public let table: String
    /// The condition for the row; nil for every row.
    public let condition: SQL?
    /// The statements, in order.
    public let statements: [SQL]

    /// Declares a trigger.
    ///
    /// - Parameters:
    ///   - name: The trigger's name.
    ///   - moment: When the statements run.
    ///   - event: The event that fires the trigger.
    ///   - table: The table, or the view.
    ///   - condition: The condition for the row, as SQL without bound values; nil for every row.
    ///   - statements: The statements in order, as SQL without bound values and without semicolons; at least one.
    public init(
        _ name: String, _ moment: Moment, _ event: Event, on table: String, when condition: SQL? = nil,
        _ statements: SQL...
    ) {
        self.name = name
        self.moment = moment
        self.event = event
        self.table = table
        self.condition = condition
        self.statements = statements
    }

    func sql() throws -> String {
        try Identifier.check(name, "trigger")
        try Identifier.check(table, "table")
        let subject = "trigger \"\(name)\""
        var sql = "CREATE TRIGGER \(Identifier.quote(name)) \(moment.rawValue) \(try eventSQL()) "
        sql += "ON \(Identifier.quote(table)) FOR EACH ROW"
        if let condition { sql += " WHEN (\(try condition.literalText("the condition of \(subject)")))" }
        let list = try statements.map { try $0.literalText(subject) }
        return sql + " BEGIN " + list.map { $0 + "; " }.joined() + "END"
    }

    private func eventSQL() throws -> String {
        for column in event.columns { try Identifier.check(column, "column") }
        guard !event.columns.isEmpty else { return event.word }
        return "\(event.word) OF \(event.columns.map(Identifier.quote).joined(separator: ", "))"
    }
}

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
            throw db._handle.connection.refusal("View \"\(name)\" cannot be read (\(words)); correct its query.")
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
            // The engine checks the statements only when the trigger fires.
            let broken = try connection.brokenObjects { try db.execute(SQL(verbatim: sql)) }
            guard let words = broken.first(where: { Identifier.areSame($0.entry.name, trigger.name) })?.words else {
                return
            }
            throw connection.refusal("Trigger \"\(trigger.name)\" cannot run (\(words)); correct its statements.")
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

extension Writing where Self: ~Copyable {
    /// Rebuilds the indexes that sort by a collation, after a change of its order.
    ///
    /// ```swift
    /// try await store.write { db in try db.reindex(.locale("sv")) }
    /// ```
    ///
    /// Unique indexes keep their rows; if two of them are now equal, nothing is changed. See SQLite's documentation,
    /// "REINDEX" (sqlite.org/lang_reindex.html).
    ///
    /// - Parameter collation: The collation, which the connection must have.
    /// - Throws: ``StrongroomError`` with `constraint` if rows of a unique index are now equal, `missingCollation` if
    ///   there is no such collation.
    public func reindex(_ collation: Collation) throws {
        // The engine calls a collation that it has not used yet an unknown object.
        _ = try value("SELECT '' = ('' COLLATE \(name: collation.name))", as: Int.self)
        try execute("REINDEX \(name: collation.name)")
    }
}
