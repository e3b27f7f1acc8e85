import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Migrating")
struct MigratorTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
    }

    private static let table = "CREATE TABLE line (text TEXT NOT NULL)" as SQL

    /// A migrator whose steps write their version as a line, up to some version.
    private func steps(_ versions: [String], ran: Locked<[String]>? = nil) -> Migrator {
        Migrator {
            versions.map { version in
                Migration(version) { db in
                    if !db.isDryRun { ran?.withLock { $0.append(version) } }
                    if version == versions[0] { try db.execute(Self.table) }
                    try db.execute("INSERT INTO line VALUES (\(version))")
                }
            }
        }
    }

    // MARK: Fresh files

    @Test func aFreshFileWithoutTablesRunsEveryStepInOrder() async throws {
        let ran = Locked<[String]>([])
        let report = try await vault.with(\.migrator, steps(["1", "10", "9", "a b"], ran: ran)).keep()
        #expect(ran.withLock { $0 } == ["1", "10", "9", "a b"])
        #expect(report.outcome == .created)
        #expect(report.migration == MigrationReport.expected(from: nil, to: "a b", applied: ["1", "10", "9", "a b"]))
        #expect(
            try await RecordedVersions(of: vault)
                == RecordedVersions(("1", false), ("10", false), ("9", false), ("a b", false)))
    }

    @Test func aFreshFileWithTablesRunsNoStepAndIsStampedWithTheNewestVersion() async throws {
        let migrator = Migrator(tables: [Contact.schema]) {
            Migration("1") { _ in Issue.record("a step ran on a fresh file") }
            Migration("2") { _ in Issue.record("a step ran on a fresh file") }
        }
        let store = try await vault.with(\.migrator, migrator).open()
        #expect(store.opening.migration == MigrationReport.expected(from: nil, to: "2", applied: []))
        try await store.write { db in _ = try Contact.insert(Contact(), in: db) }
        let indexes = "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'" as SQL
        #expect(try await store.read { db in try db.value(indexes, as: Int.self) } == Contact.schema.indexes.count)
        try await store.close()
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("2", true)))
    }

    @Test func aFileThatWasStampedRunsOnlyWhatCameAfter() async throws {
        let ran = Locked<[String]>([])
        func migrator(_ newest: Int) -> Migrator {
            Migrator(tables: [Contact.schema]) {
                (1...newest).map { number in Migration("\(number)") { _ in ran.withLock { $0.append("\(number)") } } }
            }
        }
        try await vault.with(\.migrator, migrator(2)).using { _ in }
        try await vault.with(\.migrator, migrator(2)).using { _ in }
        #expect(ran.withLock { $0 } == [])
        try await vault.with(\.migrator, migrator(4)).using { store in
            #expect(store.opening.migration == MigrationReport.expected(from: "2", to: "4", applied: ["3", "4"]))
        }
        #expect(ran.withLock { $0 } == ["3", "4"])
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("2", true), ("3", false), ("4", false)))
    }

    // MARK: Existing files

    @Test func anOlderFileRunsWhatItLacksAndTheReportTellsIt() async throws {
        try await vault.with(\.migrator, steps(["1", "2"])).keep()
        let ran = Locked<[String]>([])
        let report = try await vault.with(\.migrator, steps(["1", "2", "3", "4"], ran: ran)).keep()
        #expect(ran.withLock { $0 } == ["3", "4"])
        #expect(report.outcome == .opened)
        #expect(report.migration == MigrationReport.expected(from: "2", to: "4", applied: ["3", "4"]))
        #expect(try await vault.with(\.migrator, nil).lines() == ["1", "2", "3", "4"])
    }

    @Test func aFileAtTheNewestVersionRunsNothingAndIsNotWritten() async throws {
        try await vault.with(\.migrator, steps(["1", "2"])).keep()
        let before = try DirectorySnapshot(vault.directory)
        let report = try await vault.with(\.migrator, steps(["1", "2"])).keep()
        #expect(report.migration == MigrationReport.expected(from: "2", to: "2", applied: []))
        try before.expectUntouched()
    }

    @Test func withoutAMigratorVersionsAreNotLookedAt() async throws {
        try await vault.with(\.migrator, steps(["1", "2"])).keep()
        let report = try await vault.with(\.migrator, nil).keep("x")
        #expect(report.migration == nil)
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("1", false), ("2", false)))
    }

    @Test func aFileWithTablesButWithoutAHistoryRunsEveryStep() async throws {
        try await vault.with(\.migrator, nil).write { db in try db.execute(Self.table) }
        let migrator = Migrator(tables: [Contact.schema]) {
            Migration("1") { db in try db.execute("INSERT INTO line VALUES ('adopted')") }
        }
        let report = try await vault.with(\.migrator, migrator).keep()
        #expect(report.migration == MigrationReport.expected(from: nil, to: "1", applied: ["1"]))
        #expect(try await vault.with(\.migrator, nil).lines() == ["adopted"])
    }

    @Test func aFileOpenedWithAnOlderKeyIsMigratedWithThatKey() async throws {
        try await vault.with(\.migrator, steps(["1"])).keep()
        let newer = Vault(directory.path(""), keys: .numbered(1), .numbered(2)).with(\.settings.rotation, .manual)
        let report = try await newer.with(\.migrator, steps(["1", "2"])).keep()
        #expect(report.key?.isCurrent == false)
        #expect(report.migration?.applied == ["2"])
        #expect(try await vault.with(\.migrator, nil).lines() == ["1", "2"])
    }

    @Test func theConfigurationGivesEachDatabaseItsMigrator() async throws {
        struct PerName: Configuration {
            static let target = "per"
            let directory: String
            func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
            func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.numbered(1)) }
            func migrator(for database: DatabaseName) -> Migrator? {
                Migrator { Migration("of \(database)") { _ in } }
            }
        }
        let stores = try Stores(PerName(directory: vault.directory))
        for name in ["per_a", "per_b"] {
            #expect(try await stores.open(name).opening.migration?.to == "of \(name)")
        }
        try await stores.closeAll()
    }

    // MARK: Steps

    /// The history's row and the step's work are seen together or not at all, also by a reader that looks at every
    /// commit.
    @Test func aStepAndItsRowInTheHistoryAreOneTransaction() async throws {
        try await vault.with(\.migrator, steps(["1"])).keep()
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
            let migrator = Migrator {
                Migration("1") { _ in }
                Migration("2") { db in try db.execute("INSERT INTO line VALUES ('2')") }
                Migration("3") { db in
                    try db.execute("INSERT INTO line VALUES ('3')")
                    kill(getpid(), SIGKILL)
                }
            }
            try await Vault(root, keys: .numbered(1)).with(\.migrator, migrator).keep()
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["1", "2"])
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("1", false), ("2", false)))
        let report = try await vault.with(\.migrator, steps(["1", "2", "3"])).keep()
        #expect(report.migration?.applied == ["3"])
        #expect(try await vault.with(\.migrator, nil).lines() == ["1", "2", "3"])
    }

    @Test func aSavepointInAStepRollsBackOnlyItsOwnWork() async throws {
        struct Undo: Error {}
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute(Self.table)
                #expect(throws: Undo.self) {
                    try db.savepoint { db in
                        try db.execute("INSERT INTO line VALUES ('undone')")
                        throw Undo()
                    }
                }
                try db.execute("INSERT INTO line VALUES ('kept')")
            }
        }
        #expect(try await vault.with(\.migrator, migrator).lines() == ["kept"])
    }

    @Test func whatTheMigrationThrewIsKeptAndStandsInNoMessage() async throws {
        struct Unfit: Error, Equatable { let value: String }
        let migrator = Migrator { Migration("1") { _ in throw Unfit(value: "a secret") } }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        #expect(error.underlying as? Unfit == Unfit(value: "a secret"))
        #expect(error.message.contains("Unfit"))
        #expect(!"\(error)".contains("secret"))
    }
}

extension MigrationReport {
    /// What a report should say; reports have no public initialiser.
    static func expected(from: String?, to: String, applied: [String]) -> Expected {
        Expected(from: from, to: to, applied: applied)
    }

    struct Expected: Equatable {
        let from: String?
        let to: String
        let applied: [String]

        static func == (report: MigrationReport?, expected: Expected) -> Bool {
            report.map { Expected(from: $0.from, to: $0.to, applied: $0.applied) } == expected
        }
    }
}
