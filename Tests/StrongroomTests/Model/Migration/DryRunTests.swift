import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Trying a migration on a copy")
struct DryRunTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
    }

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
                try db.createTrigger(Trigger("sized", .after, .insert, on: "line", "UPDATE line SET size = 1"))
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
        #expect(!FileManager.default.fileExists(atPath: copy))
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
        #expect(!FileManager.default.fileExists(atPath: vault.beside("trial")))
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
        #expect(!FileManager.default.fileExists(atPath: vault.beside("trial")))
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
