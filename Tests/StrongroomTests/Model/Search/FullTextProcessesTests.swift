import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Several processes write and search one file; one of them is killed again and again in the middle of a transaction.
@Suite("Full-text indexes and several processes", .timeLimit(.minutes(30)))
struct FullTextProcessesTests {
    private static let writers = 3
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == nil ? 12 : 400
    }

    private static func vault(_ root: String) -> Vault {
        // Bounded, but no process is to give up because the machine is slow.
        Vault(root, keys: .numbered(1))
            .with(\.migrator, .automatic(tables: [Library.Note.schema, Library.Page.schema]))
            .with(\.settings, StoreSettings(readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120)))
    }

    @Test func `all of them find what the rows contain`() async throws {
        let directory = try TemporaryDirectory()
        let vault = Self.vault(directory.path("files"))
        try await vault.using { _ in }
        await withTaskGroup(of: Void.self) { group in
            for process in 0..<Self.writers {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [root = vault.directory as String, process = process as Int] in
                        try await Self.writeAndSearch(in: root, as: process)
                    }
                }
            }
            group.addTask {
                for life in 0..<4 {
                    _ = await #expect(processExitsWith: .signal(SIGKILL)) {
                        [root = vault.directory as String, life = life as Int] in
                        try await Self.die(in: root, in: life)
                    }
                }
            }
        }
        try await vault.using { store in
            #expect(try await Library.findings(store) == [])
            try await store.read { db throws in
                try FullTextUpkeepTests.expectTrue(db, "at the end")
                #expect(try Library.Note.search("killed").count(in: db) == 0)
            }
        }
    }

    private static func writeAndSearch(in root: String, as process: Int) async throws {
        try await vault(root).using { store in
            var maker = FullTextUpkeepTests.Maker(random: SeededGenerator(UInt64(process)))
            for round in 0..<rounds {
                let steps = (0..<8).map { _ in FullTextUpkeepTests.step(&maker) }
                try await store.write { db throws in
                    for step in steps {
                        do { try db.execute(step) } catch let error as StrongroomError where error.code == .constraint {
                        }
                    }
                    try FullTextUpkeepTests.expectTrue(db, "process \(process), round \(round), written")
                }
                try await store.read { db throws in
                    try FullTextUpkeepTests.expectTrue(db, "process \(process), round \(round), read")
                }
            }
        }
    }

    /// Dies after some statements of a transaction, each of which has changed the indexes.
    private static func die(in root: String, in life: Int) async throws {
        try await vault(root).open().write { db throws in
            var maker = FullTextUpkeepTests.Maker(random: SeededGenerator(UInt64(1_000 + life)))
            for number in 0..<(5 + 20 * life) {
                try db.execute("INSERT INTO note (title, isDone) VALUES (\("killed \(number)"), 0)")
                do {
                    try db.execute(FullTextUpkeepTests.step(&maker))
                } catch let error as StrongroomError where error.code == .constraint {}
            }
            kill(getpid(), SIGKILL)
        }
    }
}
