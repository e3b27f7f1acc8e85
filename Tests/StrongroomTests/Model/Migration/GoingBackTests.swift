import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Going to a version on purpose")
struct GoingBackTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)) }

    /// Steps that write their version as a line, and take it away again.
    private static func migrator(_ count: Int = 4, withoutDown: Set<Int> = []) -> Migrator {
        let migrations = (1...count).map { number in
            let up: Migration.Step = { db in
                if number == 1 { try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
                try db.execute("INSERT INTO line VALUES (\("\(number)"))")
            }
            let down: Migration.Step = { db in try db.execute("DELETE FROM line WHERE text = \("\(number)")") }
            return Migration("\(number)", up, down: withoutDown.contains(number) ? nil : down)
        }
        return Migrator { migrations }
    }

    private func versions(_ newest: Int) -> RecordedVersions {
        RecordedVersions(applied: (1...newest).map { "\($0)" })
    }

    @Test func goingBackRunsTheDownsFromTheNewestOn() async throws {
        try await vault.with(\.migrator, Self.migrator()).using { store in
            let report = try await store.migrate(to: "2")
            #expect(report == MigrationReport.expected(from: "4", to: "2", applied: []))
            #expect(report.undone == ["4", "3"])
            #expect(report.steps.map(\.version) == ["4", "3"])
            #expect(report.steps.allSatisfy { $0.duration > .zero && $0.rows >= 1 })
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["1", "2"])
        #expect(try await RecordedVersions(of: vault) == versions(2))
        // A program whose newest version is another one goes on from there.
        #expect(try await vault.with(\.migrator, Self.migrator(3)).keep().migration?.applied == ["3"])
    }

    @Test func everyVersionIsReachedFromEveryOther() async throws {
        try await vault.with(\.migrator, Self.migrator()).using { store in
            for (from, to) in [(4, 1), (1, 3), (3, 3), (3, 2), (2, 4), (4, 3), (3, 4)] {
                let plan = try await store.migrationPlan(to: "\(to)")
                let report = try await store.migrate(to: "\(to)")
                #expect(report.from == "\(from)" && report.to == "\(to)")
                #expect(plan.from == "\(from)" && plan.to == "\(to)")
                #expect(plan.applies == report.applied && plan.undoes == report.undone)
                #expect(plan.isEmpty == (from == to))
                let lines = try await store.read { db in try db.texts("SELECT text FROM line") }
                #expect(lines == (1...to).map { "\($0)" })
            }
        }
    }

    @Test func missingWaysBackAreAllNamedBeforeAnythingRuns() async throws {
        try await vault.with(\.migrator, Self.migrator(withoutDown: [2, 3])).using { store in
            let error = try await expectFailure(.invalidMigrator) { try await store.migrate(to: "1") }
            #expect(error.message.contains("no way back from \"3\", \"2\""))
            try await expectFailure(.invalidMigrator) { try await store.migrationPlan(to: "1") }
            try await expectFailure(.invalidMigrator) { try await store.dryRun(to: "1") }
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["1", "2", "3", "4"])
        #expect(try await RecordedVersions(of: vault) == versions(4))
    }

    @Test func aVersionThatThereIsNotIsNamed() async throws {
        try await vault.with(\.migrator, Self.migrator()).using { store in
            let error = try await expectFailure(.invalidArgument) { try await store.migrate(to: "7") }
            #expect(error.message.contains("no version \"7\""))
            #expect(error.message.contains("\"1\", \"2\", \"3\", \"4\""))
        }
        try await vault.with(\.migrator, nil).using { store in
            try await expectFailure(.notDeclared) { try await store.migrate() }
        }
    }

    @Test func onlyAFailedDownStepIsRolledBack() async throws {
        struct Refused: Error {}
        let migrator = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration(
                "2", { db in try db.execute("INSERT INTO line VALUES ('2')") },
                down: { db in
                    try db.execute("DELETE FROM line")
                    throw Refused()
                })
            Migration(
                "3", { db in try db.execute("INSERT INTO line VALUES ('3')") },
                down: { db in try db.execute("DELETE FROM line WHERE text = '3'") })
        }
        try await vault.with(\.migrator, migrator).using { store in
            let error = try await expectFailure(.migrationFailed) { try await store.migrate(to: "1") }
            #expect(error.message.contains("Going back from \"2\" failed"))
            #expect(error.underlying is Refused)
            #expect(try await store.migrationPlan().applies == ["3"])
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["2"])
    }

    @Test func aFileThatWasMadeWithTodaysTablesGoesBackAndForth() async throws {
        let schema = TableSchema("line", Column<String>("text"), Column<Int?>("size"))
        let migrator = Migrator(tables: [schema]) {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration(
                "2", { db in try db.addColumn(Column<Int?>("size"), to: "line") },
                down: { db in try db.dropColumn("size", from: "line") })
        }
        try await vault.with(\.migrator, migrator).using { store in
            let report = try await store.migrate(to: "1")
            #expect(report.undone == ["2"])
            #expect(try await store.read { db in try db.columns(of: "line").map(\.name) } == ["text"])
        }
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("1", true)))
        try await vault.with(\.migrator, migrator).using { store in
            let columns = try await store.read { db in try db.columns(of: "line").map(\.name) }
            #expect(store.openReport.migration == MigrationReport.expected(from: "1", to: "2", applied: ["2"]))
            #expect(columns == ["text", "size"])
        }
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("1", true), ("2", false)))
    }

    @Test func aFileIsLeftAtItsVersionUntilItIsAskedFor() async throws {
        try await vault.with(\.migrator, Self.migrator(2)).keep()
        let manual = vault.with(\.migrator, Self.migrator()).with(\.settings.migration, .manual)
        try await manual.using { store in
            #expect(store.openReport.migration == nil)
            let plan = try await store.migrationPlan()
            #expect(plan.from == "2" && plan.applies == ["3", "4"] && plan.changed == [])
            #expect(try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) } == 2)
            #expect(try await store.migrate(to: "3").applied == ["3"])
            #expect(try await store.migrate().applied == ["4"])
            #expect(try await store.migrate().applied == [])
        }
        try await expectFailure(.newerSchema) {
            try await vault.with(\.migrator, Self.migrator(3)).with(\.settings.migration, .manual).open()
        }
        let fresh = Vault(directory.path("fresh"), keys: .numbered(1)).with(\.migrator, Self.migrator())
        #expect(try await fresh.with(\.settings.migration, .manual).keep().migration?.to == "4")
    }
}

@Suite("Trying a migration on a copy")
struct DryRunTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)) }

    private static let first = Migration("1") { db in
        try db.execute("CREATE TABLE line (text TEXT NOT NULL)")
        try db.execute("CREATE TABLE old (a)")
    }

    private func manual(_ migrator: Migrator) -> Vault {
        vault.with(\.migrator, migrator).with(\.settings.migration, .manual)
    }

    @Test func theTrialTellsWhatTheMigrationDoesAndTheFileStays() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a", "b", "c")
        let before = try DirectorySnapshot(vault.directory)
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                try db.addColumn(Column<Int>("size", default: 0), to: "line")
                try db.execute("UPDATE line SET size = length(text)")
                try db.execute("CREATE INDEX by_size ON line (size)")
            }
            Migration("3") { db in
                try db.dropTable("old")
                try db.execute("CREATE TRIGGER sized AFTER INSERT ON line BEGIN UPDATE line SET size = 1; END")
            }
        }
        let told = Locked<[String]>([])
        try await manual(migrator).using { store in
            let trial = try await store.dryRun { progress in told.withLock { $0.append(progress.step?.version ?? "") } }
            #expect(trial.report == MigrationReport.expected(from: "1", to: "3", applied: ["2", "3"]))
            #expect(trial.report.steps.map(\.version) == ["2", "3"])
            // Three rows of the table and one of the history.
            #expect(trial.report.steps.first?.rows == 4)
            #expect(
                trial.schemaChanges == [
                    "index \"by_size\" added", "table \"line\": column \"size\" added", "table \"old\" removed",
                    "trigger \"sized\" added",
                ])
            #expect(try await store.dryRun(to: "2").report.applied == ["2"])
            #expect(try await store.migrationPlan().applies == ["2", "3"])
        }
        #expect(told.withLock { $0 } == ["2", "3"])
        #expect(try DirectorySnapshot(vault.directory).names == before.names)
        #expect(try await vault.with(\.migrator, nil).lines() == ["a", "b", "c"])
        try before.expectUntouched()
    }

    @Test func theCopyIsEncryptedAndLiesThereOnlyMeanwhile() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("something legible")
        let copy = vault.beside("trial")
        let content = Locked<Data?>(nil)
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                let isThere = FileManager.default.fileExists(atPath: copy)
                if isThere { try content.withLock { $0 = try Data(contentsOf: URL(filePath: copy)) } }
            }
        }
        try await manual(migrator).using { store in _ = try await store.dryRun() }
        let bytes = try #require(content.withLock { $0 })
        #expect(bytes.count >= 4_096 && bytes.range(of: Data("legible".utf8)) == nil)
        #expect(!bytes.starts(with: Data("SQLite format 3".utf8)))
        #expect(try vault.left.isEmpty)
    }

    @Test func aStepIsToldThatNothingOfItStays() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
        let effects = Locked(0)
        let migrator = Migrator {
            Self.first
            Migration("2") { db in if !db.isDryRun { effects.withLock { $0 += 1 } } }
        }
        try await manual(migrator).using { store in
            _ = try await store.dryRun()
            #expect(effects.withLock { $0 } == 0)
            try await store.migrate()
            #expect(effects.withLock { $0 } == 1)
        }
        // It cannot be compared, and is not said to be another one.
        try await vault.with(\.migrator, migrator.whenChanged(.refuse)).using { _ in }
    }

    @Test func aMigrationThatFailsOnTheCopyFailsOnlyTheDryRun() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a", "a")
        let migrator = Migrator {
            Self.first
            Migration("2") { db in try db.execute("CREATE UNIQUE INDEX by_text ON line (text)") }
        }
        try await manual(migrator).using { store in
            try await expectFailure(.migrationFailed, saying: "\"2\"") { try await store.dryRun() }
            #expect(try await store.migrationPlan().applies == ["2"])
        }
        #expect(try vault.left.isEmpty)
    }

    @Test func aTrialThatIsCancelledLeavesNoCopy() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
        let begun = Moment()
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                begun.come()
                while true { try db.report(0, of: 1) }
            }
        }
        try await manual(migrator).using { store in
            let trial = Task { try await store.dryRun() }
            try await begun.wait()
            try await expectFailure(.locked) { try await store.dryRun() }
            trial.cancel()
            await #expect(throws: CancellationError.self) { try await trial.value }
        }
        #expect(try vault.left.isEmpty)
    }

    @Test func aFileWithAnEnvelopeAndAPlaintextOneAreTried() async throws {
        let plain = Vault(directory.path("plain")) { _ in .plaintext }
        let wrapped = Vault(directory.path("wrapped"), keys: .numbered(1)).with(\.protection, .envelope)
        for vault in [plain, wrapped] {
            try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
            let migrator = Migrator {
                Self.first
                Migration("2") { db in try db.execute("INSERT INTO line VALUES ('b')") }
            }
            try await vault.with(\.migrator, migrator).with(\.settings.migration, .manual).using { store in
                let trial = try await store.dryRun()
                #expect(trial.report.applied == ["2"])
            }
            #expect(try await vault.with(\.migrator, nil).lines() == ["a"])
        }
    }
}

@Suite("Steps that take long", .ending)
struct LongStepTests {
    private let vault = Vault(keys: .numbered(1))

    private static let first = Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }

    @Test func stepsTellHowFarTheyHaveCome() async throws {
        let told = Locked<[WorkProgress]>([])
        let migrator = Migrator {
            Self.first
            Migration("2") { db in
                for number in 1...3 {
                    try db.execute("INSERT INTO line VALUES ('x')")
                    try db.report(number, of: 3)
                }
            }
        }.reporting { progress in told.withLock { $0.append(progress) } }
        try await vault.with(\.migrator, migrator).keep()
        let words = told.withLock { $0 }.map { progress in
            let step = progress.step.map { "\($0.version) \($0.number)/\($0.count)" }
            return "\(step ?? "none") \(progress.done)/\(progress.total)"
        }
        #expect(words == ["1 1/2 0/0", "2 2/2 0/0", "2 2/2 1/3", "2 2/2 2/3", "2 2/2 3/3"])
    }

    /// Each runs for ever, and tells when it has written.
    static let endless: [(name: String, step: @Sendable (borrowing MigrationTransaction, Moment) throws -> Void)] = [
        (
            "a loop that reports",
            { db, moment in
                try db.execute("INSERT INTO line VALUES ('half')")
                moment.come()
                while true { try db.report(0, of: 0) }
            }
        ),
        (
            "a loop of statements",
            { db, moment in
                try db.execute("INSERT INTO line VALUES ('half')")
                moment.come()
                while true { try db.execute("UPDATE line SET text = text") }
            }
        ),
        (
            "one statement",
            { db, moment in
                try db.execute("INSERT INTO line VALUES ('half')")
                moment.come()
                try db.execute(
                    """
                    DELETE FROM line WHERE (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                        SELECT count(*) FROM n) = 0
                    """)
            }
        ),
    ]

    private func migrator(_ number: Int, _ moment: Moment) -> Migrator {
        Migrator {
            Self.first
            Migration("2", { db in if !db.isDryRun { try Self.endless[number].step(db, moment) } }, down: { _ in })
        }
    }

    @Test(arguments: endless.indices)
    func anOpeningThatIsCancelledLeavesNothingOfTheStep(number: Int) async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
        let before = try DirectorySnapshot(vault.directory)
        let moment = Moment()
        let endless = vault.with(\.migrator, migrator(number, moment))
        let opening = Task { try await endless.open() }
        try await moment.wait()
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        #expect(try DirectorySnapshot(vault.directory).names == before.names)
        let report = try await vault.with(\.migrator, Migrator { Self.first }).keep()
        #expect(report.migration == MigrationReport.expected(from: "1", to: "1", applied: []))
        #expect(try await vault.with(\.migrator, nil).lines() == ["a"])
    }

    @Test(arguments: endless.indices)
    func aMigrationThatIsCancelledLeavesNothingOfTheStepAndTheStoreGoesOn(number: Int) async throws {
        let moment = Moment()
        try await vault.with(\.migrator, Migrator { Self.first }).keep("a")
        try await vault.with(\.migrator, migrator(number, moment)).with(\.settings.migration, .manual).using { store in
            let migrating = Task { try await store.migrate() }
            try await moment.wait()
            migrating.cancel()
            await #expect(throws: CancellationError.self) { try await migrating.value }
            #expect(try await store.migrationPlan().applies == ["2"])
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") }
        }
        #expect(try await vault.with(\.migrator, nil).lines() == ["a", "b"])
    }
}
