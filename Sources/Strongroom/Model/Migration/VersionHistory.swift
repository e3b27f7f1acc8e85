/// The table in which a file keeps the versions it went through.
struct VersionHistory {
    static let table = "strongroom_migrations"

    /// A version that the file went through.
    struct Entry: Equatable {
        let version: String
        /// What the step's statements come to; nil where none was run, and for a step of a program that did not keep
        /// it.
        let fingerprint: String?
    }

    let connection: Connection

    /// Whether the file has the table.
    var exists: Bool {
        get throws {
            try connection.ownValue("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(Self.table)'")
                != nil
        }
    }

    /// What is recorded, oldest first.
    func entries() throws -> [Entry] {
        guard try exists else { return [] }
        let fingerprint = try hasFingerprints ? "fingerprint" : "NULL"
        return try connection.withOwnStatement("SELECT version, \(fingerprint) FROM \(Self.table) ORDER BY place") {
            statement in
            var entries: [Entry] = []
            let row = Row(statement)
            while try statement.step() {
                entries.append(
                    Entry(version: try row[0], fingerprint: try row.isNull(at: 1) ? nil : row.text(at: 1)))
            }
            return entries
        }
    }

    /// Whether the table is of a program that keeps what the statements come to.
    private var hasFingerprints: Bool {
        get throws { try connection.columnInfos(of: Self.table).contains { $0.name == "fingerprint" } }
    }

    /// Makes the table, or brings one of an older program to today's form.
    func create() throws {
        guard try exists else {
            return try connection.run(
                """
                CREATE TABLE \(Self.table) (
                    place INTEGER PRIMARY KEY AUTOINCREMENT,
                    version TEXT NOT NULL UNIQUE,
                    applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
                    milliseconds INTEGER NOT NULL,
                    created INTEGER NOT NULL,
                    fingerprint TEXT
                )
                """
            )
        }
        guard try !hasFingerprints else { return }
        try connection.run("ALTER TABLE \(Self.table) ADD COLUMN fingerprint TEXT")
    }

    /// Records a version.
    ///
    /// - Parameters:
    ///   - version: The version that the file has now.
    ///   - duration: How long the step took.
    ///   - created: Whether the file was made with this version rather than brought to it.
    ///   - fingerprint: What the step's statements come to; nil when it ran none.
    func record(_ version: String, duration: Duration, created: Bool, fingerprint: String?) throws {
        try connection.run(
            "INSERT INTO \(Self.table) (version, milliseconds, created, fingerprint) VALUES (?1, ?2, ?3, ?4)",
            .text(version), .integer(duration.milliseconds), .integer(created ? 1 : 0),
            fingerprint.map(Value.text) ?? .null
        )
    }

    /// Takes back a version.
    ///
    /// - Parameters:
    ///   - version: The version that was undone.
    ///   - before: The version that the file has now. One that was made with a later version has no row of it yet.
    ///   - duration: How long going back took.
    func remove(_ version: String, leaving before: String, duration: Duration) throws {
        try connection.run("DELETE FROM \(Self.table) WHERE version = ?", .text(version))
        guard try connection.ownValue("SELECT 1 FROM \(Self.table) LIMIT 1") == nil else { return }
        try record(before, duration: duration, created: true, fingerprint: nil)
    }
}
