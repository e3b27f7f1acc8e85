import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Saved records that are read again, and rows of JSON and dictionaries")
struct ReloadTests {
    @Table("crate")
    struct Crate: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        var weight = 1
        @Column(default: "new") var state: String?
        var route: String?
        @Ignored var isSelected = false
        @Ignored var isGone = false

        static let hooks: RecordHooks<Crate>? = RecordHooks()
            .willSave { crate, db in if crate.weight < 0 { crate.weight = 0 } }
            .deletesOnSave { $0.isGone }

        init(
            id: Int64? = nil, code: String, weight: Int = 1, state: String? = nil, route: String? = nil,
            isSelected: Bool = false, isGone: Bool = false
        ) {
            (self.id, self.code, self.weight, self.state, self.route) = (id, code, weight, state, route)
            (self.isSelected, self.isGone) = (isSelected, isGone)
        }
    }

    private typealias Stored = StoredRowsTests.Stored

    private func store() async throws -> TemporaryStore { try await StoredRowsTests.store(of: "crate") }

    // MARK: Saves

    @Test func `a saved record is as its row when it is reloaded`() async throws {
        try await store().store.write { db throws in
            var crate = Crate(code: "a", weight: -2, isSelected: true)
            try Crate.save(&crate, in: db)
            try Crate.reload(&crate, in: db)
            #expect(crate == Crate(id: 1, code: "a", weight: 0, state: "new", route: "by a", isSelected: true))
            // Without it, the record only gets its key.
            var other = Crate(code: "b")
            try Crate.save(&other, in: db)
            #expect(other == Crate(id: 2, code: "b"))
            // What another program has written, and what an update writes.
            try db.execute(
                "CREATE TRIGGER moved AFTER UPDATE OF code ON crate BEGIN UPDATE crate SET route = 'moved'; END")
            other.code = "c"
            try Crate.save(&other, in: db)
            try Crate.reload(&other, in: db)
            #expect(other == Crate(id: 2, code: "c", route: "moved"))
            try db.execute("UPDATE crate SET weight = 'heavy'")
            let before = other
            try expectFailure(.typeMismatch) { try Crate.reload(&other, in: db) }
            #expect(other == before)
        }
    }

    @Test func `the rows of a saved list are read in its order, as they are after the whole list`() async throws {
        try await store().store.write { db throws in
            var crates = [Crate(code: "a"), Crate(code: "b"), Crate(id: 1, code: "z", weight: 5), Crate(code: "c")]
            crates.insert(Crate(id: 7, code: "none", isGone: true), at: 1)
            let saved = try Crate.save(contentsOf: &crates, in: db)
            #expect(saved == [.inserted, .deleted, .inserted, .updated, .inserted])
            #expect(crates.map(\.id) == [1, 7, 2, 1, 3] && crates.map(\.route) == [nil, nil, nil, nil, nil])
            crates.remove(at: 1)
            let stored = try Crate.stored(crates.compactMap(\.id), as: Stored.self, in: db)
            #expect(stored.map(\.code) == ["z", "b", "z", "c"] && stored.map(\.grams) == [5000, 1000, 5000, 1000])
            for index in crates.indices { try Crate.reload(&crates[index], in: db) }
            #expect(crates[0] == crates[2] && crates[0].code == "z" && crates[3].route == "by c")
        }
    }

    @Test func `a row that is gone, a record without a key, and a wrong column are errors`() async throws {
        try await store().store.write { db throws in
            var gone = Crate(code: "gone")
            try expectFailure(.missingKey) { try Crate.reload(&gone, in: db) }
            try Crate.save(&gone, in: db)
            let before = gone
            try expectFailure(.noSuchRow) { try Crate.reload(&gone, in: db) }
            #expect(gone == before && gone.id == 1)
            try expectFailure(.noSuchRow) { try Crate.stored(1, as: Stored.self, in: db) }
            var crate = Crate(code: "a")
            try Crate.save(&crate, in: db)
            try expectFailure(.sql) { try Crate.stored(1, as: Contact.self, in: db) }
        }
    }

    @Table("holder")
    struct Holder: Equatable {
        var id: Int64?
        var name: String
        @Column(default: "open") var state: String?
        @HasMany var notes: [Note] = []

        static let relations: Relations<Holder>? = Relations().hasMany(\.$notes, by: \.holder, orphans: .delete)
    }

    @Table("note")
    struct Note: Equatable {
        var id: Int64?
        var holder: Int64?
        var text: String
    }

    @Test func `loaded children are kept`() async throws {
        try await TemporaryStore(tables: [Holder.schema, Note.schema]).store.write { db throws in
            var holder = Holder(name: "Ada", notes: [Note(text: "x"), Note(text: "y")])
            try Holder.save(&holder, cascading: true, in: db)
            try Holder.reload(&holder, in: db)
            #expect(holder.state == "open" && holder.notes.map(\.holder) == [1, 1])
            #expect(try Note.count(in: db) == 2)
        }
    }

    // MARK: JSON and dictionaries

    @Test func `rows of upserted JSON are read as they are stored`() async throws {
        try await store().store.write { db throws in
            let list = #"[{"code": "a"}, {"code": "b", "state": "old"}, {"code": "a", "weight": 4}]"#
            let keys = try Crate.upsert(json: list, .by(\.code), in: db).map(\.key)
            #expect(try Crate.stored(keys, as: Stored.self, in: db).map(\.grams) == [4000, 1000, 4000])
            let patch = #"{"id": 2, "weight": 3}"#
            #expect(
                try Crate.stored(Crate.upsert(json: patch, in: db).map(\.key), as: Crate.self, in: db)
                    == [Crate(id: 2, code: "b", weight: 3, state: "old", route: "by b")])
            #expect(
                try Crate.stored(Crate.upsert(json: "[]", .by(\.code), in: db).map(\.key), as: Crate.self, in: db) == []
            )
            let row = try Crate.stored(
                Crate.upsert(dictionaries: [["code": "b", "weight": 6]], .by(\.code), in: db)[0].key, as: Crate.self,
                in: db)
            #expect(row == Crate(id: 2, code: "b", weight: 6, state: "old", route: "by b"))
            let new = try Crate.stored(
                Crate.upsert(dictionaries: [["code": "c"]], .by(\.code), in: db)[0].key, as: Crate.self, in: db)
            #expect(new == Crate(id: 3, code: "c", weight: 1, state: "new", route: "by c"))
        }
    }
}
