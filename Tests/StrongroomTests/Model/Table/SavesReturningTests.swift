#if Macros
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Saves, and upserts of JSON and dictionaries, that return rows")
struct SavesReturningTests {
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

    /// What the file has of it.
    struct Stored: Record, Equatable {
        let id: Int64
        let code: String
        let grams: Int

        static let columnNames = ["id", "code", "grams"]

        init(_ id: Int64, _ code: String, _ grams: Int) { (self.id, self.code, self.grams) = (id, code, grams) }

        init(row: borrowing Row) throws { self.init(try row[0], try row[1], try row[2]) }

        func encode(to bindings: borrowing Bindings) throws {}
    }

    /// Grams are a generated column where the engine has those, and a trigger's otherwise.
    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore()
        let isGenerated = try EngineFeatures.current().hasGeneratedColumns
        try await temporary.store.write { db throws in
            let grams = isGenerated ? "GENERATED ALWAYS AS (weight * 1000) VIRTUAL" : "INTEGER"
            try db.execute(
                SQL(
                    verbatim: """
                        CREATE TABLE crate (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE,
                        weight INTEGER NOT NULL, state TEXT DEFAULT 'new', route TEXT, grams \(grams))
                        """))
            try db.execute(
                """
                CREATE TRIGGER routed AFTER INSERT ON crate BEGIN
                UPDATE crate SET route = 'by ' || new.code WHERE id = new.id;
                DELETE FROM crate WHERE id = new.id AND code = 'gone'; END
                """)
            guard !isGenerated else { return }
            for event in ["INSERT", "UPDATE OF weight"] {
                try db.execute(
                    SQL(
                        verbatim: """
                            CREATE TRIGGER `grams \(event)` AFTER \(event) ON crate BEGIN
                            UPDATE crate SET grams = new.weight * 1000 WHERE id = new.id; END
                            """))
            }
        }
        return temporary
    }

    // MARK: Saves

    @Test func `a saved record is as its row if its own type is returned`() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            var crate = Crate(code: "a", weight: -2, isSelected: true)
            let stored = try Crate.save(&crate, in: db, returning: Crate.self)
            #expect(crate == Crate(id: 1, code: "a", weight: 0, state: "new", route: "by a", isSelected: true))
            #expect(stored == crate)
            // Without it, the record only gets its key.
            var other = Crate(code: "b")
            try Crate.save(&other, in: db)
            #expect(other == Crate(id: 2, code: "b"))
            // What another program has written, and what an update writes.
            try db.execute(
                "CREATE TRIGGER moved AFTER UPDATE OF code ON crate BEGIN UPDATE crate SET route = 'moved'; END")
            other.code = "c"
            try Crate.save(&other, in: db, returning: Crate.self)
            #expect(other == Crate(id: 2, code: "c", route: "moved"))
        }
    }

    @Test func `a save returns another type, and the record gets its key`() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            var crate = Crate(code: "a", weight: 2)
            #expect(try Crate.save(&crate, in: db, returning: Stored.self) == Stored(1, "a", 2000))
            #expect(crate == Crate(id: 1, code: "a", weight: 2))
            crate.weight = 3
            #expect(try Crate.save(&crate, in: db, returning: Stored.self) == Stored(1, "a", 3000))
            crate.isGone = true
            #expect(try Crate.save(&crate, in: db, returning: Stored.self) == nil)
            #expect(try Crate.count(in: db) == 0)
        }
    }

    @Test func `the rows of a list are in its order, as they are after the whole list`() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            var crates = [Crate(code: "a"), Crate(code: "b"), Crate(id: 1, code: "z", weight: 5), Crate(code: "c")]
            crates.insert(Crate(id: 7, code: "none", isGone: true), at: 1)
            let stored = try Crate.save(contentsOf: &crates, in: db, returning: Stored.self)
            #expect(
                stored == [
                    Stored(1, "z", 5000), nil, Stored(2, "b", 1000), Stored(1, "z", 5000), Stored(3, "c", 1000),
                ])
            #expect(crates.map(\.id) == [1, 7, 2, 1, 3] && crates.map(\.route) == [nil, nil, nil, nil, nil])
            let own = try Crate.save(contentsOf: &crates, in: db, returning: Crate.self)
            #expect(own.map { $0?.code } == ["z", nil, "b", "z", "c"])
            #expect(crates[0] == crates[3] && crates[0].code == "z")
            var none: [Crate] = []
            #expect(try Crate.save(contentsOf: &none, in: db, returning: Crate.self) == [])
        }
    }

    @Test func `a row that is gone after the save, and a wrong column, undo it`() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            var crates = [Crate(code: "a"), Crate(code: "gone")]
            let before = crates
            try expectFailure(.noSuchRow) { try Crate.save(contentsOf: &crates, in: db, returning: Crate.self) }
            #expect(crates == before)
            try expectFailure(.noSuchRow) { try Crate.save(&crates[1], in: db, returning: Stored.self) }
            try expectFailure(.sql) { try Crate.save(&crates[0], in: db, returning: Contact.self) }
            try expectFailure(.notARecord) {
                try Crate.upsert(
                    json: #"[{"code": "a"}, {"code": "b", "color": "red"}]"#, by: \.code, in: db, returning: Crate.self)
            }
            try expectFailure(.noSuchRow) {
                try Crate.upsert(json: #"[{"code": "a"}, {"code": "gone"}]"#, by: \.code, in: db, returning: Crate.self)
            }
            try expectFailure(.sql) {
                try Crate.upsert(dictionary: ["code": "a"], by: \.code, in: db, returning: Contact.self)
            }
            #expect(crates == before)
            #expect(try Crate.count(in: db) == 0)
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
        let temporary = try await TemporaryStore(tables: [Holder.schema, Note.schema])
        try await temporary.store.write { db throws in
            var holder = Holder(name: "Ada", notes: [Note(text: "x"), Note(text: "y")])
            let stored = try Holder.save(&holder, cascading: true, in: db, returning: Holder.self)
            #expect(holder.state == "open" && holder.notes.map(\.holder) == [1, 1] && stored == holder)
            #expect(try Note.count(in: db) == 2)
        }
    }

    @Test func `drafts in memory are returned, too`() async throws {
        let temporary = try await TemporaryStore(tables: [Holder.schema])
        try await temporary.store.write { db throws in
            var draft = Holder(name: "Ada")
            try Holder.save(&draft, persistence: .memory, in: db)
            draft.name = "Bo"
            let stored = try Holder.save(&draft, in: db, returning: Holder.self)
            #expect(stored?.name == "Bo" && stored?.id == draft.id)
            #expect(try Holder.isInMemory(try #require(draft.id), in: db))
        }
    }

    // MARK: JSON and dictionaries

    @Test func `upserted JSON is returned as it is stored`() async throws {
        let temporary = try await store()
        try await temporary.store.write { db throws in
            let list = #"[{"code": "a"}, {"code": "b", "state": "old"}, {"code": "a", "weight": 4}]"#
            #expect(
                try Crate.upsert(json: list, by: \.code, in: db, returning: Stored.self) == [
                    Stored(1, "a", 4000), Stored(2, "b", 1000), Stored(1, "a", 4000),
                ])
            let patch = #"{"id": 2, "weight": 3}"#
            #expect(
                try Crate.upsert(json: patch, in: db, returning: Crate.self)
                    == [Crate(id: 2, code: "b", weight: 3, state: "old", route: "by b")])
            #expect(try Crate.upsert(json: "[]", by: \.code, in: db, returning: Crate.self) == [])
            let row = try Crate.upsert(
                dictionary: ["code": "b", "weight": 6], by: \.code, in: db, returning: Crate.self)
            #expect(row == Crate(id: 2, code: "b", weight: 6, state: "old", route: "by b"))
            let new = try Crate.upsert(dictionary: ["code": "c"], by: \.code, in: db, returning: Crate.self)
            #expect(new == Crate(id: 3, code: "c", weight: 1, state: "new", route: "by c"))
        }
    }
}
#endif
