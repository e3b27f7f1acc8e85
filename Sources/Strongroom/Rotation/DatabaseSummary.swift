/// What a copy of a database must have as well: its schema, the rows of each table, and what its header says.
struct DatabaseSummary: Equatable {
    /// Rows of the schema, as text, in the order of kinds and names.
    let schema: [[Value]]
    /// The rows of each table that has pages of its own; a virtual table keeps its content in such tables.
    let rows: [String: Int64]
    /// What the header says, by the names of the settings.
    let header: [String: Value]

    private static let settings = ["user_version", "application_id", "auto_vacuum", "encoding"]

    /// Counts; to be called in a transaction.
    init(_ connection: Connection) throws {
        schema = try connection.ownRows(
            "SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY type, name, tbl_name")
        let tables = try connection.ownRows("SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0")
        var rows: [String: Int64] = [:]
        for case .text(let table)? in tables.map(\.first) {
            let count = try connection.ownValue("SELECT count(*) FROM main.\(Identifier.quote(table))")
            if case .integer(let number)? = count { rows[table] = number }
        }
        self.rows = rows
        var header: [String: Value] = [:]
        for setting in Self.settings { header[setting] = try connection.ownValue("PRAGMA main.\(setting)") }
        self.header = header
    }

    /// How another database differs, in words; nil when it does not.
    func difference(to other: DatabaseSummary) -> String? {
        for (table, count) in rows.sorted(by: { $0.key < $1.key }) where other.rows[table] != count {
            return "the table «\(table)» has \(other.rows[table].map(String.init) ?? "no") rows in place of \(count)"
        }
        if schema != other.schema { return "the schema is another one" }
        for (setting, value) in header.sorted(by: { $0.key < $1.key }) where other.header[setting] != value {
            return "the setting \(setting) is another one"
        }
        return self == other ? nil : "there are more tables"
    }
}

extension Connection {
    /// All rows of the library's own SQL.
    func ownRows(_ sql: String, _ values: Value...) throws -> [[Value]] {
        try withOwnStatement(sql, values) { statement in
            var rows: [[Value]] = []
            while try statement.step() {
                let row = Row(statement)
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            return rows
        }
    }
}
