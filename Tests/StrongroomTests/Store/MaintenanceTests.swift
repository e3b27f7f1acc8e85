import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Checkpoints, vacuum and statistics on demand", .ending)
struct MaintenanceTests {
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
        let store = try await impatientStore()
        try await store.write { db in try db.execute("CREATE TABLE line (number)") }
        let canEnd = Moment()
        let reader = try await store.holdReader(until: canEnd)
        try await store.write { db in try addLine(1, db) }
        let report = try await store.checkpoint()
        #expect(!report.isComplete)
        canEnd.come()
        try await reader.value
        #expect(try await store.checkpoint().isComplete)
        #expect(store.closeReport == nil)
        try await store.close()
        #expect(store.closeReport?.isComplete == true)
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
        #expect(try await again.value("PRAGMA integrity_check", as: String.self) == "ok")
    }

    @Test func optimizingKeepsEveryRow() async throws {
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
        let store = try await impatientStore()
        try await store.write { db in try db.execute("CREATE TABLE line (number)") }
        for number in 1...3 {
            #expect(try await store.read { db in try lineNumbers(db) }.count == number - 1)
            try await eventually { store.statistics.openReaders == 0 }
            try await store.write { db in try addLine(number, db) }
        }
        // One that is used stays.
        let canEnd = Moment()
        let reader = try await store.holdReader(until: canEnd)
        _ = try await store.read { db in try lineNumbers(db) }
        try await eventually { store.statistics.openReaders == 1 }
        canEnd.come()
        try await reader.value
    }

    @Test func readersOfABurstAreClosedWhileOneIsUsed() async throws {
        let store = try await impatientStore()
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

    @Test func theLogStaysBoundedWhileReadersComeAndGo() async throws {
        let store = try await LineStore(readers: 2).store
        try await store.write { db in try db.execute("CREATE TABLE large (content)") }
        let isOver = Moment()
        // Two, so that mostly one of them reads.
        let readers = (0..<2).map { _ in
            Task {
                while !isOver.isPast {
                    // Short, so that the log can be begun anew when it is asked for.
                    _ = try await store.value("SELECT rowid FROM large LIMIT 1", as: Int.self)
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

private func size(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
}

/// A store whose checkpoints and idle readers wait for a short time alone.
private func impatientStore() async throws -> Store {
    let settings = StoreSettings(readers: 3, busyTimeout: .milliseconds(50), readerIdleTime: .milliseconds(20))
    return try await Vault(keys: .numbered(1)).with(\.migrator, nil).with(\.settings, settings).open()
}

/// The WAL is checkpointed after the write that made it long, and not by whoever waits for that write.
@Suite("Checkpoints")
struct CheckpointTests {
    private let vault = Vault(keys: .numbered(1))

    private static let lines = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"

    /// About eight megabytes, more than a log may keep.
    private static func writeMuch(_ db: borrowing WriteTransaction) throws {
        try db.execute("\(SQL(stringLiteral: lines)) INSERT INTO line SELECT hex(randomblob(2000)) FROM n")
    }

    /// After a blocking write by the writer's thread.
    @Test(arguments: [false, true])
    func aLongLogIsBroughtIntoTheFileWhileTheStoreIsOpen(isBlocking: Bool) async throws {
        try await vault.using { store in
            let before = try size(store.path)
            if isBlocking {
                _ = try await onThread { try store.write { db in try Self.writeMuch(db) } }
            } else {
                try await store.write { db in try Self.writeMuch(db) }
            }
            try await eventually { try size(store.path) > before + 8_000_000 }
            // The next one begins the log anew, so it does not grow for ever.
            let log = try size("\(store.path)-wal")
            for _ in 0..<3 {
                try await store.write { db in
                    try db.execute("DELETE FROM line")
                    try Self.writeMuch(db)
                }
            }
            #expect(try size("\(store.path)-wal") < 3 * log)
        }
    }

    @Test func aReaderKeepsItsSnapshotAndTheFileComesAfterIt() async throws {
        try await vault.using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('first')") }
            let (isReading, mayEnd) = (Moment(), Moment())
            let reader = Task {
                try await store.read { db in
                    let before = try db.value("SELECT count(*) FROM line", as: Int.self)
                    isReading.come()
                    try mayEnd.block()
                    return [before, try db.value("SELECT count(*) FROM line", as: Int.self)]
                }
            }
            try await isReading.wait()
            for _ in 0..<2 { try await store.write { db in try Self.writeMuch(db) } }
            mayEnd.come()
            #expect(try await reader.value == [1, 1])
            try await store.write { db in try Self.writeMuch(db) }
            try await eventually { try size(store.path) > 24_000_000 }
            #expect(try await store.lineCount() == 6_001)
        }
    }

    @Test func whatWriteReturnedForSurvivesAKillAtOnce() async throws {
        try await vault.keep("kept")
        for round in 1...3 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
                let store = try await Vault(root, keys: .numbered(1)).open()
                try await store.write { db in try Self.writeMuch(db) }
                // A store that is released is closed.
                withExtendedLifetime(store) { _ = kill(getpid(), SIGKILL) }
            }
            #expect(try await vault.lines().count == 1 + 2_000 * round)
        }
    }
}

/// A store whose file is removed, renamed or replaced while it is open acknowledges no write.
@Suite("A file that is taken away", .ending)
struct MovedFileTests {
    enum Way: CaseIterable {
        case removed, renamed, replaced

        var code: StrongroomError.Code { self == .replaced ? .fileChanged : .fileMissing }

        func carryOut(_ path: String, _ directory: TemporaryDirectory) throws {
            let files = FileManager.default
            switch self {
            case .removed: try files.removeItem(atPath: path)
            case .renamed: try files.moveItem(atPath: path, toPath: directory.path("other"))
            case .replaced:
                let copy = directory.path("copy")
                try files.copyItem(atPath: path, toPath: copy)
                try #require(rename(copy, path) == 0)
            }
        }
    }

    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("data"), keys: .numbered(1)) }

    private func openStore() async throws -> Store {
        let store = try await vault.open()
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('before')") }
        return store
    }

    @Test(arguments: Way.allCases, [WriteKind.shared, .immediate])
    func noWriteIsAcknowledged(way: Way, kind: WriteKind) async throws {
        let store = try await openStore()
        try way.carryOut(vault.path, directory)
        for _ in 0..<2 {
            let error = try await expectFailure(way.code) {
                try await store.write(as: kind) { db in try db.execute("INSERT INTO line (text) VALUES ('lost')") }
            }
            #expect(error.message.contains(vault.path) && error.message.contains("Close the store"), "\(error)")
        }
        try? await store.close()
    }

    /// While the writer's transaction runs, so that only its commit can notice it.
    @Test(arguments: Way.allCases)
    func aCommitThatHasBegunIsNotAcknowledged(way: Way) async throws {
        let store = try await openStore()
        try await expectFailure(way.code) {
            try await store.write { db in
                try db.execute("INSERT INTO line (text) VALUES ('lost')")
                try way.carryOut(store.path, directory)
            }
        }
        try? await store.close()
    }

    /// A reader that is opened later must not see another file's rows beside those of the writer.
    @Test(arguments: Way.allCases)
    func aNewConnectionReadsNoOtherFile(way: Way) async throws {
        let store = try await openStore()
        try way.carryOut(vault.path, directory)
        let error = try await expectFailure(way.code) {
            try await store.lineCount()
        }
        #expect(!error.message.contains("permissions"), "\(error)")
        try? await store.close()
    }
}
