/// What is kept of a table's previous rows: who changed which row when, from what to what. Triggers record each change
/// in the table `patient_history`, in the same transaction. See <doc:KeepingAHistory>.
///
/// ```swift
/// @Table("patient", in: "clinic.sqlite", history: .keep(days: 365))
/// ```
public struct History: Sendable, Hashable, Refinable {
    /// How many days a change is kept; nil for no limit.
    public let days: Int?
    /// How many changes of each row are kept; nil for no limit.
    public let changes: Int?
    /// The names of the columns whose values are not kept; each must be nullable.
    public let omitted: [String]
    /// The name of the column that counts the updates of a row, which undoing does not put back; nil for none.
    public private(set) var version: String?

    /// Keeps changes until `Writing.pruneHistory(of:)` removes those beyond the limits.
    ///
    /// - Parameters:
    ///   - days: How many days a change is kept, at least 1; nil for no limit.
    ///   - changes: How many changes of each row are kept, at least 1; nil for no limit.
    ///   - omitted: The names of columns whose values are not kept, such as those with large values; each must be
    ///     nullable and not belong to the primary key.
    /// - Returns: The history. Invalid arguments are reported when the table is created.
    public static func keep(days: Int? = nil, changes: Int? = nil, omitting omitted: [String] = []) -> History {
        History(days: days, changes: changes, omitted: omitted)
    }

    /// The history of a table with a version, which undoing advances instead of putting it back, so that a record that
    /// was read before is still noticed as stale. `@Table` does so for a column that is declared with `@Column(kept:
    /// .version)`.
    ///
    /// - Parameter column: The name of the version's column, an integer; it must be recorded. A wrong name is reported
    ///   when the table is created.
    /// - Returns: The history.
    public func versioned(by column: String) -> History {
        refined { $0.version = column }
    }
}

/// The table and the triggers that keep the history of a declared table.
///
/// A row of the history has the values from before the change: those from after it are in the next change of the same
/// row, or in the table. Removing the oldest changes therefore loses nothing of later ones.
struct HistoryTable: Refinable {
    let table: TableSchema
    let history: History
    /// The columns whose previous values are kept, besides the key.
    private(set) var kept: [ColumnDefinition]
    let keys: [ColumnDefinition]

    /// - Throws: ``StrongroomError`` with `invalidDeclaration` for a table that cannot have a history as declared, or
    ///   `notDeclared` if it has no primary key.
    init?(_ table: TableSchema) throws {
        guard let history = table.history else { return nil }
        self.table = table
        self.history = history
        keys = try table.keyColumns()
        kept = table.columns.filter { column in
            !column.isPrimaryKey && Identifier.index(of: column.name, in: history.omitted) == nil
        }
        try check()
    }

    private func check() throws {
        func refusal(_ message: String) -> StrongroomError {
            StrongroomError(.invalidDeclaration, "The history of table \"\(table.name)\" \(message)")
        }
        if let version = history.version, Identifier.index(of: version, in: kept.map(\.name)) == nil {
            throw refusal(
                "does not record the version \"\(version)\"; name a column that is neither omitted nor part of the "
                    + "key.")
        }
        if let days = history.days, days < 1 { throw refusal("is kept for \(days) days; keep it for at least 1.") }
        if let changes = history.changes, changes < 1 {
            throw refusal("has \(changes) changes of each row; keep at least 1.")
        }
        for name in history.omitted {
            guard let column = table.columns.first(where: { Identifier.areSame($0.name, name) }) else {
                throw refusal("omits a column \"\(name)\", which the table does not have; correct its name.")
            }
            guard column.isNullable, !column.isPrimaryKey else {
                throw refusal(
                    "omits column \"\(name)\", which may not be NULL, so that a previous record could not be read; "
                        + "make its type optional.")
            }
        }
    }

    // MARK: Names

    static func name(of table: String) -> String { "\(table)_history" }

    /// Whether a table of a file is the history of another one, also of one that has ended.
    static func isHistory(_ name: String, on connection: Connection) -> Bool {
        // A virtual table of a missing module has no columns that can be read.
        name.hasSuffix(Self.name(of: "")) && (try? connection.historyColumns(name, with: [moved])) != nil
    }

    static func oldName(of column: String) -> String { "old_\(column)" }

    static func keyName(of column: String) -> String { "row_\(column)" }

    var name: String { Self.name(of: table.name) }
    var quotedName: String { Identifier.quote(name) }

    /// The columns that every history has, in order.
    static let ownColumns = ["change", "transaction_id", "author", "at", "kind"]

    /// The column with the number of the deletion that an insertion continues: the row has another key since then, or
    /// was put back.
    static let moved = "moved"

    var quotedKeys: [String] { keys.map { Identifier.quote(Self.keyName(of: $0.name)) } }

    /// Whether a change is one of a row with the key in the parameters.
    var keyCondition: String {
        quotedKeys.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
    }

    // MARK: Statements

    var columns: [(name: String, sql: String)] {
        let own = [
            ("change", "INTEGER PRIMARY KEY AUTOINCREMENT"), ("transaction_id", "INTEGER"), ("author", "TEXT"),
            ("at", "REAL NOT NULL"), ("kind", "TEXT NOT NULL"),
        ]
        let rowKeys = keys.map { key in
            let collation = key.collation.map { " COLLATE \(Identifier.quote($0.name))" } ?? ""
            return (Self.keyName(of: key.name), "\(key.declaredType)\(collation)")
        }
        // BLOB: a value of any type is stored as it is.
        return own + [(Self.moved, "INTEGER")] + rowKeys + kept.map { (Self.oldName(of: $0.name), "BLOB") }
    }

    var creation: [String] {
        let list = columns.map { "\(Identifier.quote($0.name)) \($0.sql)" }.joined(separator: ", ")
        let index = Identifier.quote("\(name)_row")
        return [
            "CREATE TABLE \(quotedName) (\(list))",
            "CREATE INDEX \(index) ON \(quotedName) (\(quotedKeys.joined(separator: ", ")))",
            """
            CREATE INDEX \(Identifier.quote("\(name)_moved")) ON \(quotedName) (\(Self.moved)) \
            WHERE \(Self.moved) IS NOT NULL
            """,
        ]
    }

    var triggers: [(name: String, sql: String)] {
        let sameKey = keys.map { "old.\($0.quoted.text) IS new.\($0.quoted.text)" }.joined(separator: " AND ")
        // Also in case, which the column's collation may ignore.
        let changed = (keys + kept).map { column in
            "old.\(column.quoted.text) IS NOT new.\(column.quoted.text) COLLATE BINARY"
                + (column.holdsEveryValue
                    ? " OR typeof(old.\(column.quoted.text)) <> typeof(new.\(column.quoted.text))" : "")
        }.joined(separator: " OR ")
        return [
            trigger("insert", "INSERT", insertion("insert", "new")),
            trigger("update", "UPDATE", when: "(\(sameKey)) AND (\(changed))", insertion("update", "old")),
            trigger(
                "key", "UPDATE", when: "NOT (\(sameKey))", insertion("delete", "old"),
                insertion("insert", "new", isMoved: true)),
            trigger("delete", "DELETE", insertion("delete", "old")),
        ]
    }

    private func trigger(
        _ kind: String, _ event: String, when condition: String? = nil, _ statements: String...
    ) -> (name: String, sql: String) {
        let name = Self.triggerName(kind, of: table.name)
        let rows = "FOR EACH ROW" + (condition.map { " WHEN (\($0))" } ?? "")
        let body = statements.map { $0 + "; " }.joined()
        let start = "CREATE TRIGGER \(Identifier.quote(name)) AFTER \(event) ON \(table.quotedName)"
        return (name, "\(start) \(rows) BEGIN \(body)END")
    }

    static func triggerNames(of table: String) -> [String] {
        ["insert", "update", "key", "delete"].map { triggerName($0, of: table) }
    }

    static func triggerName(_ kind: String, of table: String) -> String { "\(name(of: table))_\(kind)" }

    /// - Parameters:
    ///   - row: `old` or `new`; an inserted row has no previous values.
    ///   - isMoved: Whether the row had another key before, whose deletion is the newest change.
    private func insertion(_ kind: String, _ row: String, isMoved: Bool = false) -> String {
        let previous = kind == "insert" ? [] : kept
        let columns =
            ["transaction_id", "author", "at", "kind"] + (isMoved ? [Self.moved] : [])
            + keys.map { Self.keyName(of: $0.name) }
            + previous.map { Self.oldName(of: $0.name) }
        let values =
            [
                "(SELECT id FROM \(AuthorTable.name))", "(SELECT author FROM \(AuthorTable.name))", Self.now,
                "'\(kind)'",
            ] + (isMoved ? ["(SELECT max(change) FROM \(quotedName))"] : [])
            + (keys + previous).map { column in
                // The sign, which changes no value, says which column is the version: see StoredHistory.
                let sign = kind == "delete" && isVersion(column) ? "+" : ""
                return "\(sign)\(row).\(column.quoted.text)"
            }
        let names = columns.map(Identifier.quote).joined(separator: ", ")
        return "INSERT INTO \(quotedName) (\(names)) VALUES (\(values.joined(separator: ", ")))"
    }

    /// The same history without the column of the version; nil if it has none.
    var withoutVersion: HistoryTable? {
        guard kept.contains(where: isVersion) else { return nil }
        return refined { $0.kept.removeAll(where: isVersion) }
    }

    func isVersion(_ column: ColumnDefinition) -> Bool {
        history.version.map { Identifier.areSame($0, column.name) } ?? false
    }

    /// The time in the form in which dates are stored.
    static let now = "(julianday('now') - 2451910.5) * 86400.0"
}
