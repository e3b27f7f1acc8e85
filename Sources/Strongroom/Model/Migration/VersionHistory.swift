struct VersionHistory {
    static let table = "strongroom_migrations"

    struct Entry: Equatable {
        let version: String
        /// The fingerprint of the step; nil if no step ran, or for a step of a program that did not record it.
        let fingerprint: String?
    }

    let connection: Connection

    var exists: Bool { get throws { try connection.hasTable(Self.table) } }

    /// The recorded versions, oldest first.
    func entries() throws -> [Entry] {
        do {
            // Most files have the table, and each statement takes its time at every opening.
            let sql = "SELECT version, fingerprint FROM \(Self.table) ORDER BY place"
            return try connection.withOwnStatement(sql) { statement in
                var entries: [Entry] = []
                let row = Row(statement)
                while try statement.step() {
                    entries.append(Entry(version: try row[0], fingerprint: try row.textIfPresent(at: 1)))
                }
                return entries
            }
        } catch let error as StrongroomError where error.code == .sql {
            guard try !exists else { throw error }
            return []
        }
    }

    func create() throws {
        guard try !exists else { return }
        try connection.run(
            """
            CREATE TABLE \(Self.table) (
                place INTEGER PRIMARY KEY AUTOINCREMENT,
                version TEXT NOT NULL UNIQUE,
                applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
                milliseconds INTEGER NOT NULL,
                created INTEGER NOT NULL,
                fingerprint TEXT
            )
            """)
    }

    /// Records a version with the duration and the fingerprint of the step; `created` says that the file was created
    /// with it.
    func record(_ version: String, duration: Duration, created: Bool, fingerprint: String?) throws {
        try connection.run(
            "INSERT INTO \(Self.table) (version, milliseconds, created, fingerprint) VALUES (?1, ?2, ?3, ?4)",
            .text(version), .integer(duration.milliseconds), .integer(created ? 1 : 0),
            fingerprint.map(SQLValue.text) ?? .null
        )
        try notifyOthers()
    }

    /// Changes the number of the schema, so that programs that have the file open compare the versions, also after a
    /// step that has changed no table.
    private func notifyOthers() throws {
        try connection.writingSchema {
            try connection.run("PRAGMA schema_version = \(try connection.ownNumber("PRAGMA schema_version") + 1)")
        }
    }

    /// Removes a version that was reverted. A file that was created with a later version has no record of the one
    /// before it yet.
    func remove(_ version: String, leaving before: String, duration: Duration) throws {
        try connection.run("DELETE FROM \(Self.table) WHERE version = ?", .text(version))
        try notifyOthers()
        guard try connection.ownValue("SELECT 1 FROM \(Self.table) LIMIT 1") == nil else { return }
        try record(before, duration: duration, created: true, fingerprint: nil)
    }
}

extension Migrator {
    /// Makes what compares the versions of a file with those of the migrator at the beginning of transactions, on any
    /// of the file's connections: a newer program may migrate it while it is open.
    ///
    /// - Returns: Throws ``StrongroomError`` with `newerSchema` or `otherMigrations`, as opening the file would.
    func schemaCheck() -> @Sendable (Connection, _ version: Int64) throws -> Void {
        // The number of the schema whose versions were compared last.
        let known = Locked<Int64?>(nil)
        return { connection, version in
            guard known.withLock({ $0 }) != version else { return }
            try checkVersion(of: connection)
            known.withLock { $0 = version }
        }
    }
}

/// The fingerprints of the steps in the current program, determined on an empty in-memory database.
extension Migrator {
    /// The maximum number of progress callbacks, one for every 10,000 instructions of the engine.
    private static let maxChecks = 300

    /// The fingerprints of the first steps by the bytes of their versions, without steps that cannot run on an empty
    /// database or take long there.
    private func fingerprints(of count: Int, _ functions: ConnectionFunctions) throws -> [[UInt8]: String] {
        let known = knownFingerprints.withLock { $0.count >= count ? $0.fingerprints : nil }
        if let known { return known }
        let found = try Self.fingerprints(of: migrations[..<count], functions)
        knownFingerprints.withLock { $0 = (count, found) }
        return found
    }

    private static func fingerprints(
        of migrations: ArraySlice<Migration>, _ functions: ConnectionFunctions
    ) throws -> [[UInt8]: String] {
        let connection = try Connection(path: ":memory:", mode: .create, database: "a migration's dry run")
        defer { connection.close() }
        try connection.silenceLog()
        try connection.install(functions)
        try connection.configure(as: .maker, busyTimeout: 0)
        connection.stop(after: maxChecks)
        var found: [[UInt8]: String] = [:]
        for migration in migrations {
            let recorder = StatementRecorder()
            do {
                try connection.withoutForeignKeys {
                    try connection.inTransaction(.immediate) {
                        try connection.recording(recorder) {
                            try migration.up(MigrationTransaction(connection, isDryRun: true))
                        }
                        try connection.checkTransaction()
                    }
                }
            } catch {
                // The step needs rows, or a table from before the first step; so may the steps after it.
                break
            }
            found[Array(migration.version.utf8)] = recorder.fingerprint
        }
        return found
    }

    func changedVersions(_ entries: [VersionHistory.Entry], in connection: Connection) throws -> [String] {
        guard changePolicy != .ignore, let last = entries.last(where: { $0.fingerprint != nil }),
            let index = index(of: last.version)
        else { return [] }
        let today = try fingerprints(of: index + 1, connection.declared)
        let changed = entries.filter { entry in
            // A fingerprint with a colon is reserved for later versions of the library.
            guard let then = entry.fingerprint, !then.contains(":"), let now = today[Array(entry.version.utf8)] else {
                return false
            }
            return then != now
        }.map(\.version)
        guard changePolicy == .refuse, !changed.isEmpty else { return changed }
        throw connection.failure(
            .otherMigrations,
            """
            The file was migrated through \(changed.listed), whose statements have changed in the program: it may have \
            another schema than a new file. Put the old statements back, and make the change in a separate migration. \
            The file was not changed.
            """)
    }
}

extension StatementRecorder {
    /// The SHA-256 of the statements, in hexadecimal; nil if they cannot be compared.
    var fingerprint: String? {
        guard !isIncomparable else { return nil }
        let digest = Digests.sha256(Array(lines.joined(separator: "\n").utf8))
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
