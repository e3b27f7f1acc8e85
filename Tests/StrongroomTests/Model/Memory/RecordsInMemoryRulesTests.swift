import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// What the table's own rules ask of records in memory.
@Suite("Rules for records in memory", .ending)
struct RecordsInMemoryRulesTests {
    @Table("entry")
    struct Entry: Equatable {
        var id: Int64?
        var word: String
        var isOpen: Bool = true
        var note: String?

        static var indexes: [TableIndex] {
            [
                TableIndex("by_word", on: .column("word", collation: .noCase), unique: true),
                TableIndex("one_open", on: columns.note, unique: true, where: "isOpen = 1"),
                TableIndex("by_length", on: .expression("length(word) * 10 + isOpen"), unique: true),
            ]
        }
    }

    @Table("tile")
    struct Tile: Equatable {
        var id: Int64?
        var side: Int
        @Column(generated: .virtual("side * side")) var area: Int?
    }

    @Test(arguments: [(Persistence.disk, Persistence.memory), (.memory, .disk), (.memory, .memory)])
    func uniqueIndexesOfEveryKindCountInBothParts(first: Persistence, second: Persistence) async throws {
        let store = try await TemporaryStore(tables: [Entry.schema]).store
        try await store.write { db throws in
            try Entry.insert(Entry(word: "Ada", note: "x"), persistence: first, in: db)
            for same in [
                Entry(word: "ada", isOpen: false), Entry(word: "much longer", note: "x"), Entry(word: "Bob"),
            ] {
                try expectFailure(.constraint) { try Entry.insert(same, persistence: second, in: db) }
            }
            // Of the partial index only those that are open.
            let key = try Entry.insert(Entry(word: "Eve", isOpen: false, note: "x"), persistence: second, in: db)
            try Entry.insert(Entry(word: "longer"), persistence: second, in: db)
            try expectFailure(.constraint) {
                try Entry.where { $0.id == key }.update(in: db) { [$0.isOpen.set(true), $0.word.set("long word")] }
            }
            #expect(try Entry.count(in: db) == 3)
        }
    }

    @Test func whatATriggerIgnoresStaysInMemory() async throws {
        let store = try await TemporaryStore(tables: [Entry.schema]).store
        try await store.write { db throws in
            try Entry.insert(Entry(word: "on the disk"), in: db)
            let key = try Entry.insert(Entry(word: "draft"), persistence: .memory, in: db)
            try db.execute("CREATE TRIGGER ignores BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END")
            try expectFailure(.writeRefused) { try Entry.persist(key, in: db) }
            #expect(try Entry.isInMemory(key, in: db) && Entry.find(key, in: db)?.word == "draft")
        }
    }

    @Test func anUpdateReadsOnlyTheDisk() async throws {
        let store = try await TemporaryStore(tables: [Entry.schema]).store
        let secret = "a secret in memory"
        try await store.write { db throws in
            let disk = try Entry.insert(Entry(word: "on the disk"), in: db)
            let memory = try Entry.insert(Entry(word: secret, isOpen: false), persistence: .memory, in: db)
            let asked = Computed<String?>("(SELECT word FROM entry WHERE id = \(memory))")
            let count = try Entry.where { $0.word.hasPrefix("on") || $0.id == memory }
                .update(in: db) { [$0.note.set(asked)] }
            #expect(count == 2)
            #expect(try db.value("SELECT count(*) FROM main.entry WHERE note IS NOT NULL", as: Int.self) == 0)
            #expect(try Entry.find(disk, in: db)?.note == nil)
        }
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns))
    func whatTheEngineComputesIsThere() async throws {
        let store = try await TemporaryStore(tables: [Tile.schema]).store
        try await store.write { db throws in
            try Tile.insert(Tile(side: 2), in: db)
            try Tile.insert(Tile(side: 3), persistence: .memory, in: db)
            #expect(try Tile.order { $0.side.ascending }.fetch(in: db).map(\.area) == [4, 9])
            #expect(try Tile.where { $0.area > 5 }.count(in: db) == 1)
        }
    }
}
