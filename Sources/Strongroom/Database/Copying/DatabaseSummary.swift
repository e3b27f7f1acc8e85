/// What a copy of a database must have as well: its schema, the rows of each table, and what its header says.
struct DatabaseSummary {
    /// Rows of the schema, as text, in the order of kinds and names.
    let schema: [[Value]]
    /// The rows of each table that has pages of its own; a virtual table keeps its content in such tables.
    let rows: [[UInt8]: Int64]
    /// What the engine finds wrong with the tables and indexes; it does not count in a comparison.
    let defects: [[Value]]
    /// What the header says, by the names of the settings.
    let header: [String: Value]

    /// What `ANALYZE` found depends on how the engine was built.
    private static let counts = "name NOT LIKE 'sqlite~_stat%' ESCAPE '~'"

    private static let settings = ["user_version", "application_id", "auto_vacuum", "encoding"]

    /// Counts; to be called in a transaction.
    init(_ connection: Connection) throws {
        schema = try connection.ownRows(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE \(Self.counts) ORDER BY type, name, tbl_name
            """
        ).map { $0.map(\.exact) }
        let tables = try connection.ownRows(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 AND \(Self.counts)")
        // By the names' bytes: `String` does not tell a composed and a decomposed é apart.
        var rows: [[UInt8]: Int64] = [:]
        for case .text(let table)? in tables.map(\.first) {
            let count = try connection.ownValue("SELECT count(*) FROM main.\(Identifier.quote(table))")
            if case .integer(let number)? = count { rows[Array(table.utf8)] = number }
        }
        self.rows = rows
        defects = try connection.ownRows("PRAGMA integrity_check(1)")
        var header: [String: Value] = [:]
        for setting in Self.settings { header[setting] = try connection.ownValue("PRAGMA main.\(setting)") }
        self.header = header
    }

    /// How another database differs, in words; nil when it does not.
    func difference(to other: DatabaseSummary) -> String? {
        for (table, count) in rows where other.rows[table] != count {
            return
                """
                the table "\(String(decoding: table, as: UTF8.self))" has \
                \(other.rows[table].map(String.init) ?? "no") rows in place of \(count)
                """
        }
        if schema != other.schema { return "the schema is another one" }
        for (setting, value) in header.sorted(by: { $0.key < $1.key }) where other.header[setting] != value {
            return "the setting \(setting) is another one"
        }
        return rows.count == other.rows.count ? nil : "there are more tables"
    }
}
