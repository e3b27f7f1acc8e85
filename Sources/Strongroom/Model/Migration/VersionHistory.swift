/// The table with the version history of a file.
struct VersionHistory {
    static let table = "strongroom_migrations"

    /// A version that the file went through.
    struct Entry: Equatable {
        let version: String
        /// The fingerprint of the step; nil if no step ran, or for a step of a program that did not record it.
        let fingerprint: String?
    }

    let connection: Connection

    /// Whether the file has the table.
    var exists: Bool {
        get throws {
            try connection.hasTable(Self.table)
        }
    }

    /// The recorded versions, oldest first.
    func entries() throws -> [Entry] {
        do {
            // Most files have both, and each statement takes its time at every opening.
            return try entries(fingerprint: "fingerprint")
        } catch let error as StrongroomError where error.code == .sql {
            guard try exists else { return [] }
            return try entries(fingerprint: try hasFingerprints ? "fingerprint" : "NULL")
        }
    }

    /// - Parameter fingerprint: The expression for the fingerprint of a step.
    private func entries(fingerprint: String) throws -> [Entry] {
        try connection.withOwnStatement("SELECT version, \(fingerprint) FROM \(Self.table) ORDER BY place") {
            statement in
            var entries: [Entry] = []
            let row = Row(statement)
            while try statement.step() {
                entries.append(
                    Entry(version: try row[0], fingerprint: try row.textIfPresent(at: 1)))
            }
            return entries
        }
    }

    /// Whether the table has fingerprints.
    private var hasFingerprints: Bool {
        get throws { try connection.columnInfos(of: Self.table).contains { $0.name == "fingerprint" } }
    }

    /// Creates the table, or upgrades that of an earlier version of the library.
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
    ///   - version: The current version of the file.
    ///   - duration: The duration of the step.
    ///   - created: Whether the file was created with this version rather than migrated to it.
    ///   - fingerprint: The fingerprint of the step; nil if none ran.
    func record(_ version: String, duration: Duration, created: Bool, fingerprint: String?) throws {
        try connection.run(
            "INSERT INTO \(Self.table) (version, milliseconds, created, fingerprint) VALUES (?1, ?2, ?3, ?4)",
            .text(version), .integer(duration.milliseconds), .integer(created ? 1 : 0),
            fingerprint.map(Value.text) ?? .null
        )
        try tellOthers()
    }

    /// Changes the number of the schema, so that programs that have the file open look at the versions, also after a
    /// step that has changed no table.
    private func tellOthers() throws {
        try connection.writingSchema {
            try connection.run("PRAGMA schema_version = \(try connection.ownNumber("PRAGMA schema_version") + 1)")
        }
    }

    /// Removes a version.
    ///
    /// - Parameters:
    ///   - version: The version that was reverted.
    ///   - before: The current version of the file. A file that was created with a later version has no record of it
    ///     yet.
    ///   - duration: The duration of the downgrade.
    func remove(_ version: String, leaving before: String, duration: Duration) throws {
        try connection.run("DELETE FROM \(Self.table) WHERE version = ?", .text(version))
        try tellOthers()
        guard try connection.ownValue("SELECT 1 FROM \(Self.table) LIMIT 1") == nil else { return }
        try record(before, duration: duration, created: true, fingerprint: nil)
    }
}
