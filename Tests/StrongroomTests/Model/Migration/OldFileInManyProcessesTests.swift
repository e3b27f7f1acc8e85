import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
                            let report = try #require(store.opening.migration)
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
