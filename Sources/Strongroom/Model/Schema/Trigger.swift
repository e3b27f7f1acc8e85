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
