import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Checkpoints, vacuum and statistics on demand", .ending)
struct MaintenanceTests {
    private func size(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func fill(_ store: Store, _ numbers: Range<Int>) async throws {
        try await store.write { db in
            for number in numbers { try addLine(number, db) }
        }
    }

    @Test func aCheckpointEmptiesTheLog() async throws {
        let fixture = try await LineStore()
        try await fill(fixture.store, 0..<100)
        #expect(try size(fixture.store.path + "-wal") > 0)
        let report = try await fixture.store.checkpoint()
        #expect(report.isComplete && report.pagesLeft == 0)
        #expect(try size(fixture.store.path + "-wal") == 0)
        #expect(try await fixture.lines().count == 100)
    }

    @Test func aCheckpointSaysWhatAReaderKeepsInTheLog() async throws {
        // A checkpoint waits as long as the busy timeout, which is short here.
        let stores = try Stores(ImpatientConfiguration(directory: TemporaryDirectory(), key: Key.random()))
        let store = try await stores.open("impatient.sqlite")
        try await store.write { db in try db.execute("CREATE TABLE line (number)") }
        let (isInside, canEnd) = (Moment(), Moment())
        let reader = Task {
            try await store.read { db in
                _ = try db.value("SELECT count(*) FROM line", as: Int.self)
                isInside.come()
                try canEnd.block()
            }
        }
        try await isInside.wait()
        try await store.write { db in try addLine(1, db) }
        let report = try await store.checkpoint()
        #expect(!report.isComplete)
        canEnd.come()
        try await reader.value
        #expect(try await store.checkpoint().isComplete)
        #expect(store.closing == nil)
        try await store.close()
        #expect(store.closing?.isComplete == true)
    }

    @Test func aVacuumGivesSpaceBackAndKeepsEveryRow() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        try await store.write { db in
            try db.execute("CREATE TABLE large (content)")
            for _ in 0..<50 { try db.execute("INSERT INTO large VALUES (randomblob(20000))") }
        }
        try await fill(store, 0..<100)
        try await store.write { db in try db.execute("DELETE FROM large") }
        _ = try await store.checkpoint()
        let before = try size(store.path)
        try await store.vacuum()
        #expect(try size(store.path) < before / 5)
        #expect(try await fixture.lines() == Array(0..<100))
        try await store.close()
        let again = try await fixture.stores.open(LineStore.name)
        #expect(try await again.read { db in try lineNumbers(db) } == Array(0..<100))
        #expect(try await again.read { db in try db.value("PRAGMA integrity_check", as: String.self) } == "ok")
    }

    @Test func optimizingLeavesWhatTheEngineKnowsOfAnIndex() async throws {
        let fixture = try await LineStore()
        try await fill(fixture.store, 0..<1_000)
        // The engine looks at the tables that this connection has used an index of.
        try await fixture.store.write { db in
            for number in 0..<10 { _ = try db.value("SELECT 1 FROM line WHERE number = \(number)", as: Int.self) }
        }
        try await fixture.store.optimize()
        #expect(try await fixture.lines().count == 1_000)
    }

    @Test func idleReadersAreClosedAfterATime() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(ImpatientConfiguration(directory: directory, key: Key.random()))
        let store = try await stores.open("impatient.sqlite")
        try await store.write { db in try db.execute("CREATE TABLE line (number)") }
        for number in 1...3 {
            #expect(try await store.read { db in try lineNumbers(db) }.count == number - 1)
            try await eventually { store.statistics.openReaders == 0 }
            try await store.write { db in try addLine(number, db) }
        }
        // One that is used stays.
        let (isInside, canEnd) = (Moment(), Moment())
        let reader = Task {
            try await store.read { db in
                isInside.come()
                try canEnd.block()
                return try lineNumbers(db)
            }
        }
        try await isInside.wait()
        _ = try await store.read { db in try lineNumbers(db) }
        try await eventually { store.statistics.openReaders == 1 }
        canEnd.come()
        #expect(try await reader.value == [1, 2, 3])
    }

    @Test func readersOfABurstAreClosedWhileOneIsUsed() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(ImpatientConfiguration(directory: directory, key: Key.random()))
        let store = try await stores.open("impatient.sqlite")
        // From before the burst, so that there is never a time in which nobody reads.
        let isOver = Moment()
        let reader = Task {
            while !isOver.isPast { try await store.read { _ in } }
        }
        let barrier = Barrier(3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await store.read { _ in try barrier.block() } } }
            try await group.waitForAll()
        }
        try await eventually { store.statistics.openReaders == 1 }
        isOver.come()
        try await reader.value
        try await store.close()
    }

    @Test func memoryIsGivenBackOnDemand() async throws {
        let fixture = try await LineStore(readers: 2)
        try await fill(fixture.store, 0..<1_000)
        #expect(try await fixture.lines().count == 1_000)
        #expect(fixture.store.statistics.openReaders == 1)
        try await fixture.store.releaseMemory()
        #expect(fixture.store.statistics.openReaders == 0)
        #expect(try await fixture.lines().count == 1_000)
    }

    @Test func aClosedStoreRefusesThem() async throws {
        let store = try await LineStore().store
        try await store.close()
        try await expectFailure(.closed) { try await store.checkpoint() }
        try await expectFailure(.closed) { try await store.vacuum() }
        try await expectFailure(.closed) { try await store.optimize() }
    }

    @Test func theLogStaysBoundedWhileReadersComeAndGo() async throws {
        let store = try await LineStore(readers: 2).store
        try await store.write { db in try db.execute("CREATE TABLE large (content)") }
        let isOver = Moment()
        // Two, so that mostly one of them reads.
        let readers = (0..<2).map { _ in
            Task {
                while !isOver.isPast {
                    // Short, so that the log can be begun anew when it is asked for.
                    _ = try await store.read { db in try db.value("SELECT rowid FROM large LIMIT 1", as: Int.self) }
                }
            }
        }
        var largest = 0
        for _ in 0..<100 {
            try await store.write { db in
                for _ in 0..<20 { try db.execute("INSERT INTO large VALUES (randomblob(20000))") }
                try db.execute("DELETE FROM large WHERE rowid <= (SELECT max(rowid) FROM large) - 40")
            }
            largest = max(largest, try size(store.path + "-wal"))
        }
        isOver.come()
        for reader in readers { try await reader.value }
        // In all it was more: what is inserted, and the zeros with which it is overwritten, 800 KB each time.
        #expect(largest < 60_000_000)
    }
}

private struct ImpatientConfiguration: Configuration {
    static let target = "impatient"

    let directory: TemporaryDirectory
    let key: Key

    func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
    func settings(for database: DatabaseName) -> StoreSettings {
        StoreSettings(readers: 3, busyTimeout: .milliseconds(50), readerIdleTime: .milliseconds(20))
    }
}
