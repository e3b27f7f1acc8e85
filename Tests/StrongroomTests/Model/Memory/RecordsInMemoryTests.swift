import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// In-memory-only records: what queries find, and how they are changed and moved.
@Suite("Records in memory", .ending)
struct RecordsInMemoryTests {
    typealias Note = Notebook.Note
    typealias Tag = Notebook.Tag

    private struct Refusal: Error {}

    static let places: [Persistence] = [.disk, .memory]

    @Test(arguments: places) func queriesFindThemWithThoseOnTheDisk(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        try await notebook.write(
            ("a", rank: 1, .disk), ("b", rank: 2, .memory), ("c", rank: 3, .disk), ("d", rank: 4, .memory))
        #expect(try await notebook.texts() == ["a", "b", "c", "d"])
        try await notebook.store.read { db in
            let sorted = Note.order { $0.text.descending }
            #expect(try sorted.limit(2).fetch(in: db).map(\.text) == ["d", "c"])
            #expect(try sorted.limit(2, offset: 1).fetch(in: db).map(\.text) == ["c", "b"])
            #expect(try Note.count(in: db) == 4)
            #expect(try Note.where { $0.rank >= 2 }.count(in: db) == 3)
            #expect(try Note.where { $0.rank >= 2 }.limit(2).count(in: db) == 2)
            #expect(try Note.query.value(in: db) { $0.rank.sum() } == 10)
            #expect(try Note.where { $0.text == "b" }.exists(in: db))
            #expect(try Note.where { $0.text == "b" }.first(in: db)?.id ?? 0 < 0)
            let byText = Note.order { $0.text.ascending }.limit(2)
            let page = try byText.fetch(in: db)
            #expect(try byText.after(#require(page.last)).fetch(in: db).map(\.text) == ["c", "d"])
            #expect(try Note.where { $0.text.isIn(["b", "c"]) }.fetch(in: db).count == 2)
            #expect(try Note.group { $0.rank }.select { ($0.rank, RowCount()) }.fetch(in: db).count == 4)
        }
    }

    @Test(arguments: places) func joinsFindThem(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        let keys = try await notebook.write(("disk", rank: 1, .disk), ("memory", rank: 2, .memory))
        try await notebook.store.write { db in
            for key in keys {
                try Tag.insert(Tag(id: UUID(), note: key, name: "kept"), in: db)
                try Tag.insert(Tag(id: UUID(), note: key, name: "passing"), persistence: .memory, in: db)
            }
        }
        let pairs = try await notebook.store.read { db in
            try Note.query.join(Tag.self) { note, tag in note.id == tag.note }
                .order { note, _ in note.rank.ascending }.fetch(in: db).map { "\($0.text) \($1.name)" }
        }
        #expect(Set(pairs) == ["disk kept", "disk passing", "memory kept", "memory passing"])
        #expect(pairs.count == 4)
        #expect(pairs.prefix(2).allSatisfy { $0.hasPrefix("disk") })
    }

    @Test func queriesThatAreTextFindThemToo() async throws {
        let notebook = try await Notebook()
        try await notebook.write(("a", rank: 1, .disk), ("b", rank: 2, .memory))
        try await notebook.store.read { db in
            let count = try db.value("SELECT count(*) FROM note", as: Int.self)
            #expect(count == 2)
            #expect(try db.value("WITH n AS (SELECT * FROM note) SELECT count(*) FROM n", as: Int.self) == 2)
            let numbers: SQL = """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
                SELECT count(*) FROM note JOIN n ON n.i = note.rank
                """
            #expect(try db.value(numbers, as: Int.self) == 2)
            #expect(try db.value("SELECT count(*) FROM main.note", as: Int.self) == 1)
        }
    }

    /// What SQL of the user's own writes can bring nothing from memory to the disk.
    @Test func writingSQLTextSeesOnlyTheDisk() async throws {
        let notebook = try await Notebook()
        try await notebook.write(("a", rank: 1, .disk), ("b", rank: 2, .memory))
        try await notebook.store.write { db in
            try db.execute("CREATE TABLE archive (text)")
            try db.execute("INSERT INTO archive SELECT text FROM note")
            try db.execute("WITH n AS (SELECT text FROM note) INSERT INTO archive SELECT text FROM n")
            #expect(try db.value("SELECT group_concat(text) FROM archive", as: String.self) == "a,a")
            #expect(try db.execute("UPDATE note SET rank = rank + 10") == 1)
            #expect(try db.execute("INSERT INTO note (text, rank) VALUES ('c', 3)") == 1)
        }
        #expect(try await notebook.texts() == ["b", "c", "a"])
    }

    @Test(arguments: places) func theyAreUpdatedAndDeletedAsOthersAre(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        let keys = try await notebook.write(
            ("a", rank: 1, .disk), ("b", rank: 2, .memory), ("c", rank: 3, .memory), ("d", rank: 4, .disk))
        try await notebook.store.write { db in
            try Note.update(Note(id: keys[1], text: "B", rank: 2), in: db)
            #expect(try Note.update(keys[2], in: db) { [$0.text.set("C")] })
            #expect(try Note.where { $0.rank >= 1 }.update(in: db) { [$0.rank.set($0.rank + 10)] } == 4)
        }
        #expect(try await notebook.texts() == ["a", "B", "C", "d"])
        try await notebook.store.write { db in
            let top = Note.order { $0.rank.descending }.limit(2)
            let count = try top.update(in: db) { [$0.rank.set($0.rank - 100)] }
            #expect(count == 2)
        }
        #expect(try await notebook.texts() == ["C", "d", "a", "B"])
        try await notebook.store.write { db in
            let count = try Note.order { $0.rank.ascending }.limit(1).delete(in: db)
            #expect(count == 1)
            #expect(try Note.delete(keys[1], in: db))
            #expect(try !Note.delete(keys[1], in: db))
            #expect(try Note.upsert(Note(id: keys[0], text: "A", rank: 0), in: db).outcome == .updated)
        }
        #expect(try await notebook.texts() == ["d", "A"])
        try await notebook.write(("e", rank: 9, .memory))
        #expect(try await notebook.store.write { db in try Note.truncate(in: db) } == 3)
        #expect(try await notebook.texts() == [])
    }

    @Test(arguments: places) func uniqueValuesAreUniqueInBothParts(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        try await notebook.store.write { db in
            try Note.insert(Note(text: "disk", code: "x", rank: 1), in: db)
            let key = try Note.insert(Note(text: "memory", code: "y", rank: 2), persistence: .memory, in: db)
            let attempts: [(Note, Persistence)] = [
                (Note(text: "again", code: "x", rank: 3), .memory), (Note(text: "again", code: "y", rank: 3), .memory),
                (Note(text: "again", code: "y", rank: 3), .disk), (Note(id: key, text: "again", rank: 3), .disk),
                (Note(id: 1, text: "again", rank: 3), .memory),
            ]
            for (note, persistence) in attempts {
                let error = #expect(throws: StrongroomError.self) {
                    try Note.insert(note, persistence: persistence, in: db)
                }
                #expect(error?.code == .constraint)
                #expect(error?.constraint?.table == "note" || persistence == .memory)
            }
            #expect(try Note.insertOrIgnore(Note(text: "again", code: "y", rank: 3), in: db) == nil)
            // An upsert finds the row wherever it is.
            let upserted = try Note.upsert(Note(text: "changed", code: "y", rank: 5), .by(\.code), in: db)
            #expect(upserted.key == key)
            #expect(try Note.isInMemory(key, in: db))
        }
        #expect(try await notebook.texts() == ["disk", "changed"])
    }

    @Test(arguments: places) func oneIsMovedToTheDisk(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        let keys = try await notebook.write(("a", rank: 1, .memory), ("b", rank: 2, .memory), ("c", rank: 3, .disk))
        let (made, kept, same) = try await notebook.store.write { db in
            let own = try Note.insert(Note(id: 70, text: "own", code: "z", rank: 4), persistence: .memory, in: db)
            return (try Note.persist(keys[0], in: db), try Note.persist(own, in: db), try Note.persist(keys[2], in: db))
        }
        #expect(made > 0 && kept == 70 && same == keys[2])
        try await notebook.store.read { db in
            let moved = try Note.find(made, in: db)
            #expect(moved?.text == "a")
            #expect(try Note.find(keys[0], in: db) == nil)
            #expect(try Note.find(70, in: db) == Note(id: 70, text: "own", code: "z", rank: 4))
            #expect(try Note.keysInMemory(in: db) == [keys[1]])
            #expect(try db.value("SELECT count(*) FROM main.note", as: Int.self) == 3)
            #expect(try Note.count(in: db) == 4)
        }
        let last = try await notebook.store.write { db in
            try Note.insert(Note(text: "last", rank: 9), persistence: .memory, in: db)
        }
        #expect(try await notebook.store.write { db in try Note.persist(last, in: db) } > 0)
        let error = await #expect(throws: StrongroomError.self) {
            try await notebook.store.write { db in try Note.persist(-999, in: db) }
        }
        #expect(error?.code == .noSuchRow)
    }

    @Test(arguments: places) func whatIsUndoneIsUndoneInMemory(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        let store = notebook.store
        // The first of all, with which the part is made and undone, and then a second one.
        for round in 0..<2 {
            await #expect(throws: Refusal.self) {
                try await store.write { db in
                    try Note.insert(Note(text: "no", rank: 1), persistence: .memory, in: db)
                    #expect(try Note.count(in: db) == 1 + round)
                    throw Refusal()
                }
            }
            #expect(try await notebook.texts().count == round)
            try await store.write { db in
                try? db.savepoint { db in
                    try Note.insert(Note(text: "no", rank: 1), persistence: .memory, in: db)
                    try Tag.insert(Tag(id: UUID(), note: 1, name: "no"), persistence: .memory, in: db)
                    throw Refusal()
                }
                #expect(try Note.count(in: db) == round)
                try Note.insert(Note(text: "yes", rank: 1), persistence: .memory, in: db)
            }
        }
        #expect(try await notebook.texts() == ["yes", "yes"])
        #expect(try await store.read { db in try Tag.count(in: db) } == 0)
        // A move that fails leaves the record where it was.
        let key = try await store.read { db in try Note.keysInMemory(in: db)[0] }
        await #expect(throws: Refusal.self) {
            try await store.write { db in
                try Note.persist(key, in: db)
                throw Refusal()
            }
        }
        #expect(try await store.read { db in try Note.isInMemory(key, in: db) })
    }

    @Test(arguments: places) func changesAreTold(place: Persistence) async throws {
        let notebook = try await Notebook(in: place)
        let store = notebook.store
        var values = store.values { db in try Note.count(in: db) }.makeAsyncIterator()
        #expect(try await values.next() == 0)
        for count in 1...3 {
            try await notebook.write(("a", rank: count, .memory))
            #expect(try await values.next() == count)
        }
        var changes = store.changes(in: Note.self).makeAsyncIterator()
        let key = try await store.read { db in try Note.keysInMemory(in: db)[0] }
        try await store.write { db in try Note.delete(key, in: db) }
        #expect(try await changes.next() != nil)
        #expect(try await values.next() == 2)
    }

    @Test func aKeyIsMadeForARecordInMemoryAsForOneOnTheDisk() async throws {
        let notebook = try await Notebook()
        let keys = try await notebook.store.write { db in
            try (0..<2).map { _ in
                try Notebook.Draft.insert(Notebook.Draft(text: "d"), persistence: .memory, in: db)
            }
        }
        #expect(Set(keys).count == 2)
    }

    @Test func aConditionIsAskedOfWhatThereWasBefore() async throws {
        let notebook = try await Notebook()
        try await notebook.write(("a", rank: 1, .disk), ("b", rank: 9, .disk), ("c", rank: 9, .memory))
        let count = try await notebook.store.write { db in
            let highest = Note.where { _ in Condition("rank = (SELECT max(rank) FROM note)") }
            return try highest.update(in: db) { [$0.rank.set(0)] }
        }
        #expect(count == 2)
        let changed = try await notebook.store.read { db in
            try Note.where { $0.rank == 0 }.fetch(in: db).map(\.text).sorted()
        }
        #expect(changed == ["b", "c"])
    }
}
