/// The name of the database that a file belongs to, recorded in the file, so that another database's file in its place
/// is noticed.
///
/// It is the text of a view, which is authenticated and encrypted with the schema, comes along with every copy of the
/// file, and takes no page. The view is never evaluated.
struct RecordedName {
    static let view = "strongroom_database"

    private static let beginning = "CREATE VIEW \(view) AS SELECT '"
    private static let end = "' AS name"

    /// Whether a file has an object besides the record; one without is new to a migrator.
    static let anyObject = "SELECT 1 FROM sqlite_master WHERE name <> '\(view)' LIMIT 1"

    let connection: Connection

    /// The name; nil if none was recorded.
    func read() throws -> String? {
        // In a transaction, whose end reports damage that would be read as no record.
        let sql = try connection.inSnapshot {
            try connection.ownValue(
                "SELECT sql FROM main.sqlite_master WHERE type = 'view' AND name = '\(Self.view)'")
        }
        guard case .text(let text)? = sql, text.hasPrefix(Self.beginning), text.hasSuffix(Self.end) else { return nil }
        return text.dropFirst(Self.beginning.count).dropLast(Self.end.count).split(
            separator: "''", omittingEmptySubsequences: false
        ).joined(separator: "'")
    }

    /// Records a name in place of the former one.
    func write(_ name: String) throws {
        let text = name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        try connection.inTransaction(.immediate) {
            try connection.run("DROP VIEW IF EXISTS \(Self.view)")
            try connection.run(Self.beginning + text + Self.end)
        }
    }
}
