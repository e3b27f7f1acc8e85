/// The table in which a file keeps the versions it went through.
struct VersionHistory {
    private static let table = "strongroom_migrations"

    let connection: Connection

    /// Whether the file has the table.
    var exists: Bool {
        get throws {
            try connection.ownValue("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(Self.table)'")
                != nil
        }
    }

    /// The versions that are recorded, oldest first.
    func versions() throws -> [String] {
        guard try exists else { return [] }
        return try connection.withOwnStatement("SELECT version FROM \(Self.table) ORDER BY place") { statement in
            var versions: [String] = []
            let row = Row(statement)
            while try statement.step() { versions.append(try row[0]) }
            return versions
        }
    }

    func create() throws {
        try connection.run(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
                place INTEGER PRIMARY KEY AUTOINCREMENT,
                version TEXT NOT NULL UNIQUE,
                applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
                milliseconds INTEGER NOT NULL,
                created INTEGER NOT NULL
            )
            """
        )
    }

    /// Records a version.
    ///
    /// - Parameters:
    ///   - version: The version that the file has now.
    ///   - duration: How long the step took.
    ///   - created: Whether the file was made with this version rather than brought to it.
    func record(_ version: String, duration: Duration, created: Bool) throws {
        try connection.run(
            "INSERT INTO \(Self.table) (version, milliseconds, created) VALUES (?1, ?2, ?3)",
            .text(version), .integer(duration.milliseconds), .integer(created ? 1 : 0)
        )
    }
}
