import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Migrating")
struct MigratorTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)) }

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
        #expect(store.openReport.migration == MigrationReport.expected(from: nil, to: "2", applied: []))
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
            #expect(store.openReport.migration == MigrationReport.expected(from: "2", to: "4", applied: ["3", "4"]))
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

/// The list of a migrator is built with `if`, `switch` and `for`.
struct MigrationListTests {
    private enum Kind { case plain, traced }

    private static func migrator(_ kind: Kind, years: ClosedRange<Int>, isLast: Bool) -> Migrator {
        Migrator {
            Migration("first") { db in try db.execute("CREATE TABLE first (a)") }
            for year in years {
                Migration("year \(year)") { db in try db.execute("CREATE TABLE \(name: "letters_\(year)") (a)") }
            }
            switch kind {
            case .plain: Migration("plain") { db in try db.execute("CREATE TABLE plain (a)") }
            case .traced:
                Migration("trace") { db in try db.execute("CREATE TABLE trace (a)") }
                Migration("more trace") { db in try db.execute("ALTER TABLE trace ADD COLUMN b") }
            }
            if isLast {
                Migration("last") { db in try db.execute("CREATE TABLE last (a)") }
            }
            if kind == .traced {
                Migration("end of trace") { db in try db.execute("CREATE TABLE ended (a)") }
            } else {
                Migration("end") { db in try db.execute("CREATE TABLE ended (a)") }
            }
        }
    }

    @Test func theStepsStandInTheirOrder() async throws {
        let vault = Vault(keys: .numbered(1))
        let long = Self.migrator(.traced, years: 2024...2026, isLast: true)
        #expect(long.newestVersion == "end of trace")
        try await vault.with(\.migrator, long).using { store in
            let tables = try await store.read { db in try db.tableNames() }
            #expect(
                tables.sorted().filter { !$0.hasPrefix("_") && !$0.hasPrefix("strongroom") } == [
                    "ended", "first", "last", "letters_2024", "letters_2025", "letters_2026", "trace",
                ])
        }
    }
}

/// Versions and files whose names differ only in how their letters are composed are two.
@Suite("Names that look alike")
struct VersionNameTests {
    /// Composed and decomposed: one text to Swift, two to the engine and the file system.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    private let vault = Vault(keys: .numbered(1))

    private static func migrator(_ versions: String...) -> Migrator {
        Migrator {
            versions.enumerated().map { index, version in
                Migration(version) { db in
                    try db.execute("CREATE TABLE \(name: "step\(index)") (id)")
                } down: { db in
                    try db.execute("DROP TABLE \(name: "step\(index)")")
                }
            }
        }
    }

    @Test func aVersionThatIsComposedOtherwiseIsUnknown() async throws {
        try await vault.with(\.migrator, Self.migrator("1", Self.composed)).using { _ in }
        let other = vault.with(\.migrator, Self.migrator("1", Self.decomposed))
        try await expectFailure(.newerSchema) { try await other.using { _ in } }
    }

    @Test func twoVersionsThatLookAlikeAreGoneBackFromOneByOne() async throws {
        try await vault.with(\.migrator, Self.migrator("1", Self.composed, Self.decomposed)).using { store in
            let report = try await store.migrate(to: Self.composed)
            #expect(report.undone.map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
            #expect(try await store.read { db in try db.tableNames() } == ["step0", "step1"])
            #expect(try await store.migrate().applied.count == 1)
        }
    }

    #if os(Linux)
    @Test func migrationBackupsAreThoseOfTheirOwnFile() async throws {
        let keeping = vault.with(\.settings.migrationBackups, .newest(5))
        let names = ["vault_\(Self.composed).sqlite", "vault_\(Self.decomposed).sqlite"]
        for name in names {
            let first = try Stores(keeping.with(\.migrator, Self.migrator("1")))
            try await first.open(name).close()
            let second = try Stores(keeping.with(\.migrator, Self.migrator("1", "2")))
            try await second.open(name).close()
        }
        let stores = try Stores(vault)
        for name in names {
            let found = try stores.migrationBackups(of: name)
            #expect(found.count == 1)
            #expect(found.allSatisfy { $0.path.utf8.count == found[0].path.utf8.count })
        }
    }
    #endif
}

@Suite("Several processes that open one old file", .timeLimit(.minutes(60)))
struct OldFileInManyProcessesTests {
    private static let processes = 5

    private static let first = Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }

    /// Each step takes long enough for the others to come.
    private static let migrator = Migrator {
        first
        Migration("2") { db in
            try db.execute("INSERT INTO line VALUES ('step 2')")
            if !db.isDryRun { usleep(300_000) }
        }
        Migration("3") { db in
            try db.execute("INSERT INTO line VALUES ('step 3')")
            if !db.isDryRun { usleep(300_000) }
        }
    }

    @Test func oneMigratesAndTheOthersWaitAndSeeTheResult() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.with(\.migrator, Migrator { Self.first }).keep()
        await withTaskGroup { group in
            for _ in 0..<Self.processes {
                group.addTask {
                    await #expect(processExitsWith: .success) { [root = vault.directory as String] in
                        let patient = StoreSettings(
                            readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120))
                        let vault = Vault(root, keys: .numbered(1)).with(\.settings, patient)
                        try await vault.with(\.migrator, Self.migrator).using { store in
                            let report = try #require(store.openReport.migration)
                            #expect(report.to == "3")
                            let steps = "SELECT count(*) FROM line WHERE text LIKE 'step _'" as SQL
                            #expect(try await store.read { db in try db.value(steps, as: Int.self) } == 2)
                            let line = "applied \(report.applied.joined(separator: ","))"
                            try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
                        }
                    }
                }
            }
        }
        let lines = try await vault.with(\.migrator, nil).lines()
        #expect(lines.filter { $0 == "applied 2,3" }.count == 1)
        #expect(lines.filter { $0 == "applied " }.count == Self.processes - 1)
        #expect(lines.filter { $0.hasPrefix("step") } == ["step 2", "step 3"])
    }
}

/// The versions that a file has been through.
struct RecordedVersions: Equatable {
    /// A row of the table in which a file keeps its versions.
    struct Entry: Equatable {
        let version: String
        let isCreated: Bool
    }

    let entries: [Entry]

    init(_ entries: (String, Bool)...) {
        self.entries = entries.map { Entry(version: $0.0, isCreated: $0.1) }
    }

    init(applied versions: [String]) {
        entries = versions.map { Entry(version: $0, isCreated: false) }
    }

    /// Reads the history of a vault's file, without a migrator, which might change it.
    init(of vault: Vault) async throws {
        entries = try await vault.with(\.migrator, nil).read { db in
            var entries: [Entry] = []
            try db.forEachRow(
                "SELECT version, created, applied_at, milliseconds FROM strongroom_migrations ORDER BY place"
            ) {
                row in
                let (version, created): (String, Int) = (try row[0], try row[1])
                let (time, milliseconds): (String, Int) = (try row[2], try row[3])
                #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
                #expect(milliseconds >= 0)
                entries.append(Entry(version: version, isCreated: created == 1))
            }
            return entries
        }
    }
}

extension Reading where Self: ~Copyable {
    /// The first column of every row, as text.
    func texts(_ query: SQL) throws -> [String] {
        var texts: [String] = []
        try forEachRow(query) { row in texts.append(try row[0]) }
        return texts
    }
}
