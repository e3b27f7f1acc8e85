import Foundation
import Logging
import Strongroom
import StrongroomTesting
import Testing

@Suite("Migrations that were changed afterwards")
struct FingerprintTests {
    private let vault = Vault(keys: .numbered(1))

    private static let table = Migration("1") { db in
        try db.execute("CREATE TABLE line (text TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0)")
    }

    private static func migrator(_ second: @escaping Migration.Step) -> Migrator {
        Migrator {
            table
            Migration("2", second)
        }
    }

    /// The versions that are reported when the second step has become another one.
    private func changed(
        from old: @escaping Migration.Step, to new: @escaping Migration.Step
    ) async throws -> [String]? {
        try await vault.with(\.migrator, Migrator { Self.table }).keep("a", "b", "c")
        try await vault.with(\.migrator, Self.migrator(old)).keep()
        return try await vault.with(\.migrator, Self.migrator(new)).keep().migration?.changed
    }

    private func fingerprints() async throws -> [String?] {
        try await vault.with(\.migrator, nil).read { db in
            var found: [String?] = []
            try db.forEachRow("SELECT fingerprint FROM strongroom_migrations ORDER BY place") { row in
                found.append(try row[0])
            }
            return found
        }
    }

    @Test func theLoggerIsWarnedOfAChangedMigration() async throws {
        try await vault.with(\.migrator, Self.migrator { db in try db.execute("DELETE FROM line") }).keep()
        let now = vault.with(\.migrator, Self.migrator { db in try db.execute("DELETE FROM line WHERE size > 0") })
        let log = CollectedLog()
        try await now.with(\.logger, log.logger(.warning)).open().close()
        #expect(log.entries.map(\.message) == ["migrations changed after the file had been through them"])
        #expect(log.entries.first?.metadata["versions"]?.contains("2") == true)
    }

    @Test func onRequestTheFileIsRefusedAndStaysByteForByte() async throws {
        let old = Self.migrator { db in try db.dropColumn("size", from: "line") }
        try await vault.with(\.migrator, old).keep("a")
        let before = try DirectorySnapshot(vault.directory)
        let changed = Migrator {
            Self.table
            Migration("2") { db in try db.execute("UPDATE line SET size = 1") }
            Migration("3") { db in try db.execute("CREATE TABLE more (a)") }
        }.whenChanged(.refuse)
        let error = try await expectFailure(.otherMigrations) { try await vault.with(\.migrator, changed).open() }
        #expect(error.message.contains("\"2\""))
        #expect(error.message.contains("Put the old statements back"))
        try before.expectUntouched()
        #expect(try await vault.with(\.migrator, old.whenChanged(.refuse)).lines() == ["a"])
    }

    static let same: [(name: String, old: Migration.Step, new: Migration.Step)] = [
        (
            "spaces, comments, quotes, letters' cases and a semicolon",
            { db in try db.execute("CREATE INDEX by_size ON line (size)") },
            { db in try db.execute("create index \"by_size\" -- for sorting\n on [line]( size );") }
        ),
        (
            "bound values", { db in try db.execute("UPDATE line SET size = \(1)") },
            { db in try db.execute("UPDATE line SET size = \(2)") }
        ),
        (
            "how often a statement runs",
            { db in for size in 1...3 { try db.execute("UPDATE line SET size = \(size)") } },
            { db in try db.execute("UPDATE line SET size = \(4)") }
        ),
        (
            "what depends on the rows",
            { db in
                for text in try db.texts("SELECT text FROM line") {
                    try db.execute("UPDATE line SET size = length(\(text)) WHERE text = \(text)")
                }
                try db.execute("CREATE INDEX by_size ON line (size)")
            },
            { db in
                for text in try db.texts("SELECT text FROM line") {
                    try db.execute("DELETE FROM line WHERE text = \(text)")
                }
                try db.execute("CREATE INDEX by_size ON line (size)")
            }
        ),
        (
            "questions about the schema before a statement",
            { db in if try db.hasTable("line") { try db.execute("UPDATE line SET size = 1") } },
            { db in try db.execute("UPDATE line SET size = 1") }
        ),
    ]

    @Test(arguments: same.indices)
    func whatChangesNoStatementIsNotReported(number: Int) async throws {
        let (name, old, new) = Self.same[number]
        #expect(try await changed(from: old, to: new) == [], "\(name)")
    }

    static let others: [(name: String, old: Migration.Step, new: Migration.Step)] = [
        (
            "a literal", { db in try db.execute("UPDATE line SET size = 1") },
            { db in try db.execute("UPDATE line SET size = 2") }
        ),
        (
            "a column's default", { db in try db.addColumn(Column<Int>("age", default: 1), to: "line") },
            { db in try db.addColumn(Column<Int>("age", default: 2), to: "line") }
        ),
        (
            "a name", { db in try db.renameColumn("size", to: "length", in: "line") },
            { db in try db.renameColumn("size", to: "width", in: "line") }
        ),
        (
            "a statement more", { _ in }, { db in try db.execute("DELETE FROM line WHERE size = 7") }
        ),
        (
            "a statement less", { db in try db.execute("DELETE FROM line WHERE size = 7") }, { _ in }
        ),
        (
            "the schema after rows were read",
            { db in
                _ = try db.value("SELECT count(*) FROM line", as: Int.self)
                try db.createTable(Contact.schema)
            },
            { db in _ = try db.value("SELECT count(*) FROM line", as: Int.self) }
        ),
    ]

    @Test(arguments: others.indices)
    func whatChangesAStatementIsReported(number: Int) async throws {
        let (name, old, new) = Self.others[number]
        #expect(try await changed(from: old, to: new) == ["2"], "\(name)")
    }

    @Test func operationsOfTablesHaveOneFingerprintWhateverRowsTheyFind() async throws {
        let contact = Contact(id: 7)
        try await vault.with(\.migrator, Migrator { Migration("1") { db in try db.createTable(Contact.schema) } })
            .using { store in try await store.write { db in _ = try Contact.insert(contact, in: db) } }
        let upserting = Migrator {
            Migration("1") { db in try db.createTable(Contact.schema) }
            Migration("2") { db in _ = try Contact.upsert(contact, in: db) }
        }
        try await vault.with(\.migrator, upserting).using { _ in }
        try await vault.with(\.migrator, upserting).using { store in
            #expect(store.openReport.migration?.changed == [])
        }
    }

    /// As one of another library's, which a first step takes over.
    @Test func aStepWithConditionsIsTheSameOnAFileThatWasThereBeforeItsHistory() async throws {
        try await vault.with(\.migrator, nil).write { db in
            try db.execute("CREATE TABLE line (text TEXT NOT NULL)")
            try db.execute("CREATE TABLE theirs (version)")
            try db.execute("INSERT INTO line VALUES ('a')")
        }
        let taking = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE IF NOT EXISTS line (text TEXT NOT NULL)")
                try db.execute("CREATE INDEX IF NOT EXISTS by_text ON line (text)")
                try db.dropTable("theirs", ifExists: true)
                try db.dropIndex("theirs_too", ifExists: true)
                try db.execute("UPDATE line SET text = upper(text)")
            }
        }
        #expect(try await vault.with(\.migrator, taking).keep().migration?.applied == ["1"])
        #expect(try await vault.with(\.migrator, taking.whenChanged(.refuse)).keep().migration?.changed == [])
        #expect(try await vault.with(\.migrator, nil).lines() == ["A"])
        let changed = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE IF NOT EXISTS line (text)") }
        }
        #expect(try await vault.with(\.migrator, changed).keep().migration?.changed == ["1"])
    }

    @Test func aStepThatNeedsWhatAnEmptyDatabaseLacksIsNotCompared() async throws {
        let old = Self.migrator { db in try db.execute("UPDATE line SET size = 1") }
        try await vault.with(\.migrator, old).keep("a")
        let new = Self.migrator { db in
            if db.isDryRun { throw CancellationError() }
            try db.execute("UPDATE line SET size = 2")
        }
        #expect(try await vault.with(\.migrator, new.whenChanged(.refuse)).keep().migration?.changed == [])
    }

    @Test func aStepThatTakesLongIsGivenUp() async throws {
        try await vault.with(\.migrator, Self.migrator { _ in }).keep("a")
        let endless = Self.migrator { db in
            guard db.isDryRun else { return }
            try db.execute(
                """
                INSERT INTO line WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 0 FROM n
                """)
        }
        #expect(try await vault.with(\.migrator, endless).keep().migration?.changed == [])
    }

    @Test func aMigratorThatIsKeptIsRehearsedOnce() async throws {
        let count = Locked(0)
        // Without asking, since a step that asks is not compared.
        let migrator = Self.migrator { _ in count.withLock { $0 += 1 } }
        let keeping = vault.with(\.migrator, migrator)
        for _ in 0..<3 { try await keeping.keep() }
        // Once on the file, and once in memory.
        #expect(count.withLock { $0 } == 2)
        try await vault.with(\.migrator, migrator.whenChanged(.ignore)).keep()
        #expect(count.withLock { $0 } == 2)
    }
}
