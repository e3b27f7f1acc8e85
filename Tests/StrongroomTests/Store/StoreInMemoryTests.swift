import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Whole stores in memory: `.memory`.
@Suite("Stores in memory", .ending)
struct StoreInMemoryTests {
    @Table("line")
    struct Line: Equatable {
        @Column(primaryKey: true) var number: Int
        var text: String
    }

    private struct NoKey: Error {}

    /// A family whose key nobody has, and whose place must not be touched.
    private struct Keyless: Configuration {
        static let target = "keyless"
        let directory: TemporaryDirectory
        var storage = Persistence.memory

        func filePath(for database: DatabaseName) -> String? { directory.path("missing/\(database)") }
        func keyChain(for database: DatabaseName) throws -> KeyChain { throw NoKey() }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(storage: storage, readers: 2) }
        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [Line.schema]) { Migration("1") { db in try db.createTable(Line.schema) } }
        }
    }

    @Test func itReadsAndWritesLikeAnyOther() async throws {
        let store = try await Store.inMemory(Contact.self)
        #expect(store.storage == .memory)
        #expect(store.openReport.outcome == .created)
        let keys = try await store.write { db in try Contact.insert(contentsOf: Contact.samples(100), in: db) }
        #expect(keys.count == 100)
        let found = try await store.read { db in
            try Contact.where { $0.score > 20 }.order { $0.score.descending }.limit(3).fetch(in: db)
        }
        #expect(found.map(\.name) == ["Contact 100", "Contact 99", "Contact 98"])
        try await store.close()
    }

    @Test func aConfigurationsStoreHasItsMigratorAndNoKeyAndNoFile() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Keyless(directory: directory))
        let store = try await stores.open("keyless_a.sqlite")
        #expect(store.openReport.migration?.to == "1")
        try await store.write { db in try Line.insert(Line(number: 1, text: "one"), in: db) }
        #expect(try await stores.open("keyless_a.sqlite") === store)
        try await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")).isEmpty)
        // What was in it is gone.
        let again = try await stores.open("keyless_a.sqlite")
        #expect(again !== store)
        #expect(try await again.table(Line.self).count() == 0)
        try await stores.closeAll()
    }

    @Test func readersNeverSeeAHalf() async throws {
        let store = try await Store.inMemory(Line.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<40 {
                        try await store.write { db in
                            let first = task * 1_000 + round * 2
                            try Line.insert(Line(number: first, text: "a"), in: db)
                            try Line.insert(Line(number: first + 1, text: "b"), in: db)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<40 {
                        let count = try await store.read { db in try Line.count(in: db) }
                        #expect(count.isMultiple(of: 2))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.table(Line.self).count() == 640)
        #expect(store.statistics.reads >= 320)
    }

    @Test func whatThrowsIsUndoneAndNothingIsInAnotherStore() async throws {
        let (store, other) = (try await Store.inMemory(Line.self), try await Store.inMemory(Line.self))
        try await other.write { db in try Line.insert(Line(number: 1, text: "one"), in: db) }
        await #expect(throws: NoKey.self) {
            try await store.write { db in
                try Line.insert(Line(number: 1, text: "a"), in: db)
                throw NoKey()
            }
        }
        #expect(try await store.table(Line.self).count() == 0)
    }

    /// A read has the connection that writes, and must not write with it; nor may that outlast it.
    @Test(arguments: [false, true]) func aReadCannotWrite(andThrows: Bool) async throws {
        let store = try await Store.inMemory(Line.self)
        try await store.write { db in try Line.insert(Line(number: 1, text: "a"), in: db) }
        let read = Task {
            try await store.read { db in
                do {
                    try db.forEachRow("DELETE FROM line") { _ in }
                } catch let error as StrongroomError where !andThrows {
                    #expect(error.code == .readOnly)
                }
            }
        }
        let result = await read.result
        if andThrows { #expect(throws: StrongroomError.self) { try result.get() } } else { try result.get() }
        #expect(try await store.table(Line.self).count() == 1)
        try await store.write { db in try Line.insert(Line(number: 2, text: "b"), in: db) }
        #expect(try await store.table(Line.self).count() == 2)
    }

    @Test func aLoopOverAStreamMayWrite() async throws {
        let store = try await Store.inMemory(Line.self)
        try await store.write { db in try Line.insert(contentsOf: (0..<300).map { Line(number: $0, text: "a") }, in: db)
        }
        var found: [Int] = []
        for try await line in store.stream(Line.order { $0.number.ascending }) {
            try await store.write { db in try Line.delete(line.number, in: db) }
            found.append(line.number)
        }
        #expect(found == Array(0..<300))
        #expect(try await store.table(Line.self).count() == 0)
    }

    @Test func aTimeoutNamesTheHolderOfTheConnection() async throws {
        let store = try await Store.inMemory(Line.self)
        let moment = Moment()
        let holder = try await store.holdWriter(label: "the long one", until: moment)
        let error = await #expect(throws: StrongroomError.self) {
            try await store.read(timeout: .milliseconds(20)) { db in try Line.count(in: db) }
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("the long one") == true)
        // One who is cancelled before its turn does not keep the others waiting.
        let cancelled = Task { try await store.read { db in try Line.count(in: db) } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        moment.come()
        try await holder.value
        #expect(try await store.table(Line.self).count() == 0)
    }

    @Test func whatNeedsAFileIsRefusedByName() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Keyless(directory: directory))
        let store = try await stores.open("keyless.sqlite")
        let attempts: [@Sendable () async throws -> Void] = [
            { _ = try await store.rotate() },
            { _ = try await store.keySlots() },
            { _ = try await store.addKey(.numbered(2)) },
            { _ = try await store.dryRun() },
            { _ = try await store.migrate() },
            { _ = try await store.migrationPlan() },
            { _ = try await store.exportPlaintext(to: directory.path("copy.sqlite")) },
        ]
        for attempt in attempts {
            try await expectFailure(.inMemory) { try await attempt() }
        }
        #expect(try stores.exists("keyless.sqlite") == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")).isEmpty)
        try await store.close()
    }

    @Test func maintenanceDoesWhatThereIsToDo() async throws {
        let store = try await Store.inMemory(Line.self)
        try await store.write { db in try Line.insert(contentsOf: (0..<600).map { Line(number: $0, text: "a") }, in: db)
        }
        #expect(try await store.checkpoint().isComplete)
        try await store.vacuum()
        try await store.optimize()
        try await store.releaseMemory()
        let report = try await store.verify()
        #expect(report.isIntact)
        #expect(report.pages > 0)
        #expect(try await store.table(Line.self).count() == 600)
        try await store.close()
        await #expect(throws: StrongroomError.self) { try await store.table(Line.self).count() }
    }

    @Test func theBlockingFormsAreThereToo() async throws {
        let store = try await Store.inMemory(Line.self)
        try await onThread {
            try store.write { db in try Line.insert(Line(number: 1, text: "a"), in: db) }
            let count = try store.read { db in try Line.count(in: db) }
            #expect(count == 1)
            try store.close()
        }
    }
}
