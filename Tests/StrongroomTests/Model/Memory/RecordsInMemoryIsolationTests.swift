import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// In-memory-only records: that they never reach the disk, belong to snapshots as rows do, and live as long as the
/// store.
@Suite("Records in memory: isolation", .ending)
struct RecordsInMemoryIsolationTests {
    typealias Note = Notebook.Note

    private struct Refusal: Error {}

    @Test func nothingOfThemReachesTheDisk() async throws {
        // Not encrypted, so that what was written could be found.
        let notebook = try await Notebook(keyChain: .plaintext)
        let (secret, open) = ("MARK-IN-MEMORY", "MARK-ON-THE-DISK")
        let keys = try await notebook.store.write { db in
            try Note.insert(Note(text: open, rank: -1), in: db)
            return try (0..<20_000).map { number in
                try Note.insert(
                    Note(text: "\(secret) \(number) \(String(repeating: "x", count: 200))", rank: 20_000 - number),
                    persistence: .memory, in: db)
            }
        }
        try await notebook.store.write { db in
            _ = try Note.where { $0.rank > 10 }.update(in: db) { [$0.rank.set($0.rank + 1)] }
            _ = try Note.delete(keys[7], in: db)
        }
        let sorted = try await notebook.store.read { db in
            #expect(try db.value("PRAGMA temp_store", as: Int.self) == 2)
            let distinct: SQL = "SELECT count(*) FROM (SELECT DISTINCT text || rank FROM note ORDER BY rank + 1)"
            #expect(try db.value(distinct, as: Int.self) == 20_000)
            return try Note.order { $0.text.ascending }.fetch(in: db).count
        }
        #expect(sorted == 20_000)
        #expect(try notebook.filesHolding(open).contains { $0.hasSuffix("-wal") })
        #expect(try notebook.filesHolding(secret) == [])
        #expect(try Notebook.temporaryFilesHolding(secret) == [])
        try await notebook.store.checkpoint()
        try await notebook.store.vacuum()
        #expect(try notebook.filesHolding(open) == ["vault.sqlite"])
        #expect(try notebook.filesHolding(secret) == [])
        try await notebook.store.exportPlaintext(to: notebook.directory.path("copy.sqlite"))
        try await notebook.store.close()
        #expect(try notebook.filesHolding(open) == ["copy.sqlite", "vault.sqlite"])
        #expect(try notebook.filesHolding(secret) == [])
    }

    @Test func oneThatIsMovedReachesIt() async throws {
        let notebook = try await Notebook(keyChain: .plaintext)
        let keys = try await notebook.write(("MARK-MOVED", rank: 1, .memory), ("MARK-STAYS", rank: 2, .memory))
        try await notebook.store.write { db in try Note.persist(keys[0], in: db) }
        try await notebook.store.close()
        #expect(try notebook.filesHolding("MARK-MOVED") == ["vault.sqlite"])
        #expect(try notebook.filesHolding("MARK-STAYS") == [])
        let again = try await notebook.stores.open("vault.sqlite")
        #expect(try await again.read { db in try Note.all(in: db).map(\.text) } == ["MARK-MOVED"])
        try await again.close()
    }

    @Test(arguments: [false, true]) func aSnapshotStaysAsItIs(isFirst: Bool) async throws {
        let notebook = try await Notebook()
        if !isFirst { try await notebook.write(("a", rank: 1, .memory), ("b", rank: 2, .disk)) }
        let (inside, moment) = (Moment(), Moment())
        let store = notebook.store
        let read = Task {
            try await store.read { db in
                let before = try Note.count(in: db)
                inside.come()
                try moment.block()
                return (before, try Note.count(in: db))
            }
        }
        try await inside.wait()
        try await notebook.write(("c", rank: 3, .memory), ("d", rank: 4, .disk))
        #expect(try await notebook.texts().count == (isFirst ? 2 : 4))
        moment.come()
        let (before, after) = try await read.value
        #expect(before == (isFirst ? 0 : 2))
        #expect(after == before)
    }

    @Test func aStreamStaysInItsSnapshot() async throws {
        let notebook = try await Notebook()
        try await notebook.store.write { db in
            for number in 0..<1_000 {
                try Note.insert(
                    Note(text: "", rank: number), persistence: number.isMultiple(of: 2) ? .disk : .memory, in: db)
            }
        }
        var found: [Int] = []
        for try await note in notebook.store.stream(Note.order { $0.rank.ascending }) {
            if note.rank == 0 { try await notebook.store.write { db in try Note.truncate(in: db) } }
            found.append(note.rank)
        }
        #expect(found == Array(0..<1_000))
        #expect(try await notebook.texts() == [])
    }

    /// Each commit writes as much to the disk as to memory; whoever reads at any moment, the first commit's included,
    /// sees as much of both.
    @Test func noReaderSeesHalfOfACommit() async throws {
        for _ in 0..<3 {
            let notebook = try await Notebook(readers: 4)
            let store = notebook.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 0..<100 {
                        try await store.write { db in
                            try Note.insert(Note(text: "", rank: round), in: db)
                            try Note.insert(Note(text: "", rank: round), persistence: .memory, in: db)
                        }
                    }
                }
                for _ in 0..<4 {
                    group.addTask {
                        var last = 0
                        while last < 200 {
                            let (disk, all, memory) = try await store.read { db in
                                (
                                    try db.value("SELECT count(*) FROM main.note", as: Int.self) ?? -1,
                                    try Note.count(in: db), try Note.keysInMemory(in: db).count
                                )
                            }
                            #expect(disk == memory && all == disk * 2 && all >= last)
                            last = all
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await notebook.store.close()
        }
    }

    @Test func writesThatShareACommitAreRolledBackSeparately() async throws {
        let notebook = try await Notebook()
        let store = notebook.store
        let (inside, moment) = (Moment(), Moment())
        let holder = Task {
            try await store.write { _ in
                inside.come()
                try moment.block()
            }
        }
        try await inside.wait()
        var members: [Task<Void, any Error>] = []
        for number in 0..<6 {
            let waits = store.statistics.waits
            members.append(
                Task {
                    try await store.write { db in
                        try Note.insert(Note(text: "\(number)", rank: number), persistence: .memory, in: db)
                        if number.isMultiple(of: 2) { throw Refusal() }
                    }
                })
            try await eventually { store.statistics.waits > waits }
        }
        moment.come()
        try await holder.value
        for (number, member) in members.enumerated() {
            switch await member.result {
            case .success: #expect(!number.isMultiple(of: 2))
            case .failure: #expect(number.isMultiple(of: 2))
            }
        }
        #expect(store.statistics.largestGroup > 1)
        #expect(try await notebook.texts() == ["1", "3", "5"])
    }

    @Test func aReadThatThrowsKeepsNothingBehind() async throws {
        let notebook = try await Notebook(readers: 1)
        try await notebook.write(("a", rank: 1, .memory))
        for _ in 0..<2 {
            await #expect(throws: Refusal.self) {
                try await notebook.store.read { db in
                    #expect(try Note.count(in: db) == 1)
                    throw Refusal()
                }
            }
        }
        #expect(try await notebook.texts() == ["a"])
        await #expect(throws: StrongroomError.self) {
            try await notebook.store.read { db in try db.forEachRow("DELETE FROM main.note") { _ in } }
        }
    }

    @Test func readersThatComeLateOrAreFarBehindHaveThemAll() async throws {
        let notebook = try await Notebook()
        let store = notebook.store
        try await notebook.write(("a", rank: 0, .memory))
        #expect(try await notebook.texts() == ["a"])
        for number in 1...300 { try await notebook.write(("\(number)", rank: number, .memory)) }
        try await store.write { db in try Note.where { $0.rank < 100 }.delete(in: db) }
        // The one that was there, and beside it one that was not.
        var iterator = store.stream(Note.order { $0.rank.ascending }).makeAsyncIterator()
        #expect(try await iterator.next()?.text == "100")
        #expect(try await notebook.texts().count == 201)
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == 200)
        // The stream gives its reader back a moment later.
        while store.statistics.openReaders > 0 { try await store.releaseMemory() }
        #expect(try await notebook.texts().count == 201)
    }

    @Test func aRotationKeepsThem() async throws {
        let notebook = try await Notebook()
        let keys = try await notebook.write(("a", rank: 1, .disk), ("b", rank: 2, .memory))
        #expect(try await notebook.texts() == ["a", "b"])
        try await notebook.addKey()
        #expect(try await notebook.store.rotate().method != .unchanged)
        #expect(try await notebook.texts() == ["a", "b"])
        try await notebook.store.write { db in
            #expect(try Note.update(keys[1], in: db) { [$0.text.set("B")] })
            try Note.insert(Note(text: "c", rank: 3), persistence: .memory, in: db)
        }
        #expect(try await notebook.texts() == ["a", "B", "c"])
    }

    @Test func aMigrationIsRefusedWhileThereAreSome() async throws {
        let notebook = try await Notebook()
        try await notebook.store.migrate()
        try await notebook.write(("a", rank: 1, .memory))
        let error = await #expect(throws: StrongroomError.self) { try await notebook.store.migrate() }
        #expect(error?.code == .inMemory)
    }

    @Test func theyAreGoneWhenTheStoreCloses() async throws {
        let notebook = try await Notebook()
        try await notebook.write(("a", rank: 1, .memory), ("b", rank: 2, .disk))
        try await notebook.store.close()
        let again = try await notebook.stores.open("vault.sqlite")
        #expect(try await again.read { db in try Note.all(in: db).map(\.text) } == ["b"])
        try await again.close()
    }

    @Test func aRecordOnTheDiskCannotPointIntoMemory() async throws {
        let notebook = try await Notebook()
        let keys = try await notebook.write(("a", rank: 1, .memory))
        let error = await #expect(throws: StrongroomError.self) {
            try await notebook.store.write { db in
                try db.execute("CREATE TABLE mark (note INTEGER REFERENCES note (id))")
                try db.execute("INSERT INTO mark VALUES (\(keys[0]))")
            }
        }
        #expect(error?.constraint?.kind == .foreignKey)
    }
}
