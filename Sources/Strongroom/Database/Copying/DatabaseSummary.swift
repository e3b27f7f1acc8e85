/// The content of a database that a copy must have as well: its schema, the row count of each table, and the settings
/// in its header.
struct DatabaseSummary {
    /// Rows of the schema, as text, ordered by kind and name.
    let schema: [[Value]]
    /// The row count of each table with its own pages; a virtual table keeps its content in shadow tables.
    let rows: [[UInt8]: Int64]
    /// The first finding of the engine's integrity check; not part of the comparison.
    let defect: String?
    /// The settings in the header, by their names.
    let header: [String: Value]

    /// The results of `ANALYZE` depend on the engine's build options.
    private static let counts = "name NOT LIKE 'sqlite~_stat%' ESCAPE '~'"

    private static let settings = ["user_version", "application_id", "auto_vacuum", "encoding"]

    /// Reads the summary; to be called in a transaction.
    init(_ connection: Connection) throws {
        schema = try connection.ownRows(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE \(Self.counts) ORDER BY type, name, tbl_name
            """
        ).map { $0.map(\.exact) }
        let tables = try connection.ownRows(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 AND \(Self.counts)")
        // By the bytes of the names: `String` treats a composed and a decomposed é as equal.
        var rows: [[UInt8]: Int64] = [:]
        for case .text(let table)? in tables.map(\.first) {
            // The engine may count the entries of an index, whose order it does not need.
            let count = try connection.withStandIns { _ in
                try connection.ownValue("SELECT count(*) FROM main.\(Identifier.quote(table))")
            }
            if case .integer(let number)? = count { rows[Array(table.utf8)] = number }
        }
        self.rows = rows
        defect = try connection.integrityCheck(most: 1).findings.first
        var header: [String: Value] = [:]
        for setting in Self.settings { header[setting] = try connection.ownValue("PRAGMA main.\(setting)") }
        self.header = header
    }

    /// A description of how another database differs; nil if it does not.
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
