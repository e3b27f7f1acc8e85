import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Going to a version on purpose")
struct GoingBackTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
    }

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
            #expect(store.opening.migration == MigrationReport.expected(from: "1", to: "2", applied: ["2"]))
            #expect(columns == ["text", "size"])
        }
        #expect(try await RecordedVersions(of: vault) == RecordedVersions(("1", true), ("2", false)))
    }

    @Test func aFileIsLeftAtItsVersionUntilItIsAskedFor() async throws {
        try await vault.with(\.migrator, Self.migrator(2)).keep()
        let manual = vault.with(\.migrator, Self.migrator()).with(\.settings.migration, .manual)
        try await manual.using { store in
            #expect(store.opening.migration == nil)
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
