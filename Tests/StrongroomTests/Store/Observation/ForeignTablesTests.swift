import StrongroomTesting
import Testing

// Internal: an observer's news, without waiting for it.
@testable import Strongroom

@Suite("The tables that other processes have written", .ending)
struct ForeignTablesTests {
    struct Writing: Codable, Sendable, CustomTestStringConvertible {
        let statements: [String]
        /// Statements that are rolled back with their savepoint.
        var undone: [String] = []
        let told: Set<String>
        var testDescription: String { statements.joined(separator: "; ") }
    }

    private static let writings = [
        Writing(statements: ["INSERT INTO a VALUES (1)"], told: ["a"]),
        Writing(statements: ["INSERT INTO b VALUES (1)", "DELETE FROM b"], told: ["b"]),
        Writing(statements: ["INSERT INTO source VALUES (1)"], told: ["source", "target"]),
        Writing(statements: ["DELETE FROM parent WHERE id = 1"], told: ["parent", "child"]),
        Writing(statements: ["INSERT OR REPLACE INTO parent VALUES (2)"], told: ["parent", "child"]),
        Writing(statements: ["UPDATE a SET x = 2"], undone: ["INSERT INTO b VALUES (1)"], told: ["a"]),
        Writing(statements: ["INSERT INTO own VALUES (1)"], told: []),
    ]

    @Test(arguments: writings)
    func observersOfOtherTablesAreNotTold(_ writing: Writing) async throws {
        let watched = try await WatchedTables()
        await #expect(processExitsWith: .success) {
            [root = watched.vault.directory as String, writing = writing as Writing] in
            let store = try await WatchedTables.vault(root).open()
            for _ in 0..<3 {
                try await store.write { db in
                    for statement in writing.statements { try db.execute(SQL(verbatim: statement)) }
                    try db.savepoint { db in
                        for statement in writing.undone { try db.execute(SQL(verbatim: statement)) }
                        try db.rollBack()
                    }
                }
            }
            try await store.close()
        }
        #expect(try await watched.told() == writing.told)
        try await watched.store.close()
    }

    private static let unknown = [
        ["CREATE TABLE later (x)"], ["PRAGMA user_version = 7", "INSERT INTO own VALUES (1)"],
        (0..<25).map { "INSERT INTO many\($0) VALUES (1)" },
    ]

    @Test(arguments: unknown)
    func whatIsMoreThanTablesIsToldToAll(_ statements: [String]) async throws {
        let watched = try await WatchedTables()
        await watched.write(["INSERT INTO a VALUES (1)"], statements)
        #expect(try await watched.told() == WatchedTables.all)
        await watched.write(["INSERT INTO a VALUES (1)"])
        #expect(try await watched.told() == ["a"])
        try await watched.store.close()
    }

    @Test func aValueIsNotReadAgainForOtherTables() async throws {
        let watched = try await WatchedTables()
        let reads = Tally()
        var values = watched.store.values { db in
            reads.add()
            return try db.value("SELECT count(*) FROM b", as: Int.self) ?? 0
        }.makeAsyncIterator()
        #expect(try await values.next() == 0)
        await watched.write(["INSERT INTO a VALUES (1)"], ["INSERT INTO parent VALUES (7)"])
        #expect(try await watched.told() == ["a", "parent"])
        await watched.write(["INSERT INTO b VALUES (1)"])
        #expect(try await values.next() == 1)
        #expect(reads.value == 2)
        #expect(watched.store.statistics.foreignChanges > 0)
        try await watched.store.close()
    }

    @Test func rowsOfOtherTablesAreNotReported() async throws {
        let watched = try await WatchedTables()
        let rows = ObservedRows(table: "b", key: ObservedKey(columns: ["x"], isRowID: false))
        let observer = ChangeObserver(watched.store.pool.broadcaster, tables: ["b"], rowsOf: rows) { _ in }
        await watched.write(["INSERT INTO a VALUES (1)"])
        _ = try await watched.told()
        #expect(observer.unfinishedRead == nil)
        await watched.write(["INSERT INTO b VALUES (1)"])
        _ = try await watched.told()
        #expect(observer.removeRows() == .unknown)
        try await watched.store.close()
    }

    @Test func ownCommitsInBetweenLeaveNoGap() async throws {
        let watched = try await WatchedTables()
        for _ in 0..<2 {
            await watched.write(["INSERT INTO a VALUES (1)"])
            // Not a deferred one: while it runs, each write to the file is told to all.
            for kind in [WriteKind.shared, .immediate] {
                try await watched.store.write(as: kind) { db in try db.execute("INSERT INTO own VALUES (2)") }
            }
            await watched.write(["INSERT INTO b VALUES (NULL)"])
            #expect(try await watched.told() == ["a", "b"])
        }
        try await watched.store.close()
    }

    /// The engine restarts a WAL that has been checkpointed; each store does so when it is closed, too.
    @Test func aRestartOfTheLogLeavesNoGap() async throws {
        let watched = try await WatchedTables()
        await #expect(processExitsWith: .success) { [root = watched.vault.directory as String] in
            let store = try await WatchedTables.vault(root).open()
            for _ in 0..<3 {
                try await store.write { db in try db.execute("INSERT INTO a VALUES (zeroblob(2000000))") }
                #expect(try await store.checkpoint().isComplete)
                try await store.write { db in try db.execute("DELETE FROM a") }
            }
            try await store.close()
        }
        #expect(try await watched.told() == ["a"])
        // The store's own.
        #expect(try await watched.store.checkpoint().isComplete)
        await watched.write(["INSERT INTO b VALUES (1)"])
        #expect(try await watched.told() == ["b"])
        try await watched.store.close()
    }

    /// What was committed while nothing was observed is read by the observer that begins.
    @Test func aStoreThatIsObservedAgainMissesNothing() async throws {
        let watched = try await WatchedTables()
        try await watched.store.close()
        let store = try await watched.vault.open()
        for round in 1...3 {
            let observer = ChangeObserver(store.pool.broadcaster, tables: ["b"]) { _ in }
            try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
            observer.begin()
            observer.watch(["b"])
            await watched.write(["INSERT INTO a VALUES (1)"])
            try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
            #expect(observer.unfinishedRead == nil, "\(round)")
            await watched.write(["INSERT INTO b VALUES (1)"])
            try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
            #expect(observer.unfinishedRead != nil, "\(round)")
            withExtendedLifetime(observer) {}
        }
        try await store.close()
    }
}
