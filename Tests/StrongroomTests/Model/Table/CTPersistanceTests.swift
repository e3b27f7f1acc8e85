import Strongroom
import StrongroomTesting
import Testing

/// Who comes from CTPersistance finds everything here; each test is one of its parts and goes through all that it can
/// do.
@Suite("What CTPersistance can do")
struct CTPersistanceTests {
    private let temporary: TemporaryStore
    private var store: Store { temporary.store }

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema, Note.schema, Named.schema, Task.schema])
    }

    /// A table that tells everything a table can: names, key, defaults, indexes, and what records are right.
    @Table("task", in: "tasks.sqlite")
    struct Task: Equatable {
        var id: Int64?
        var title: String
        @Column(default: "it's \"open\"") var state: String?

        static var indexes: [TableIndex] { [TableIndex(on: columns.title, unique: true)] }

        static func validateInsert(_ task: Task) throws {
            guard !task.title.isEmpty else { throw Unfit.empty }
        }
        static func validateUpdate(_ task: Task) throws {
            guard task.state != "gone" else { throw Unfit.gone }
        }

        enum Unfit: Error { case empty, gone }

        init(_ title: String, _ state: String? = nil) {
            self.title = title
            self.state = state
        }
    }

    @Test("table") func table() async throws {
        #expect(Task.databaseName == "tasks.sqlite")
        try await store.write { db in
            #expect(try db.columns(of: "task").map(\.name) == ["id", "title", "state"])
            #expect(try db.indexes(of: "task").map(\.isUnique) == [true])
            var task = Task("write")
            try Task.save(&task, .insert, in: db)
            #expect(try Task.find(1, in: db)?.state == "it's \"open\"")
            #expect(throws: Task.Unfit.empty) { try Task.insert(Task(""), in: db) }
            #expect(throws: Task.Unfit.empty) { try Task.insert(contentsOf: [Task("b"), Task("")], in: db) }
            task.state = "gone"
            #expect(throws: Task.Unfit.gone) { try Task.update(task, in: db) }
            #expect(throws: Task.Unfit.gone) { try Task.update(contentsOf: [task], in: db) }
            #expect(throws: Task.Unfit.gone) { try Task.upsert(task, in: db) }
            #expect(try Task.all(in: db).map(\.title) == ["write"])
        }
    }

    @Test("record") func record() throws {
        var old = Note(id: 1, "a", slug: "b", level: 1)
        let new = Note("c", mood: "calm", level: 5)
        try old.merge(new)
        #expect(old == Note(id: 1, "a", slug: "b", mood: "calm", level: 1))
        try old.merge(new, overriding: true, columns: ["level"])
        #expect(old == Note(id: 1, "a", slug: "b", mood: "calm", level: 5))
        #expect(try old.columnValues()["slug"] == .text("b"))
        // One record type in two tables, one table read as other types: `MappingTests`.
    }

    @Test("find") func find() async throws {
        try await store.write { db in
            let keys = try Contact.insert(contentsOf: Contact.samples(2_500), in: db)
            #expect(try Contact.all(in: db).count == 2_500)
            #expect(try Contact.query.latest(in: db)?.id == 2_500)
            #expect(try Contact.where { $0.score > 1 && $0.phone == nil }.distinct().fetch(in: db).count == 1_248)
            let (low, low2) = (3.0, 5.0)
            let own = try db.fetch(
                Contact.self,
                "SELECT id, name, email, phone, score, photo FROM contact WHERE score > \(low) AND score < \(low2)")
            #expect(own.map(\.score) == [3.25, 3.5, 3.75, 4, 4.25, 4.5, 4.75])
            #expect(try Contact.where { $0.score > 3 }.first(in: db)?.id == 13)
            #expect(try Contact.count(in: db) == 2_500)
            #expect(try Contact.where { $0.score > 3 }.count(in: db) == 2_488)
            #expect(try db.value("SELECT count(*) FROM contact WHERE score > \(low)", as: Int.self) == 2_488)
            #expect(try Contact.find(7, in: db)?.name == "Contact 7")
            #expect(try Contact.find(9_999, in: db) == nil)
            #expect(try Contact.find(keys, in: db).count == 2_500)
            #expect(try Contact.where { $0.name == "Contact 7" }.fetch(in: db).map(\.id) == [7])
            let names = (1...2_500).map { "Contact \($0)" }
            #expect(try Contact.where { $0.name.isIn(names) }.count(in: db) == 2_500)
            #expect(try Contact.where { $0.name.isIn([]) }.fetch(in: db) == [])
        }
    }

    @Test("insert") func insert() async throws {
        try await store.write { db in
            var contact = Contact(email: "a")
            try Contact.save(&contact, .insert, in: db)
            #expect(contact.id == 1)
            #expect(try Contact.insert(contentsOf: Contact.samples(3), in: db) == [2, 3, 4])
            try expectFailure(.constraint) {
                try Contact.insert(contentsOf: [Contact(email: "b"), Contact(email: "a")], in: db)
            }
            #expect(try Contact.count(in: db) == 4)
            let key = try Task.insert(in: db) { [$0.title.set("one value")] }
            #expect(try Task.find(key, in: db)?.title == "one value")
            var named = Named("a text is its own key", 1)
            try Named.save(&named, .insert, in: db)
            #expect(named.name == "a text is its own key")
        }
    }

    @Test("update") func update() async throws {
        try await store.write { db in
            try Contact.insert(contentsOf: Contact.samples(20), in: db)
            var contact = try #require(try Contact.find(2, in: db))
            contact.phone = nil
            try Contact.update(contact, in: db)
            #expect(try Contact.find(2, in: db) == contact)
            let list = try Contact.find([4, 6], in: db).map { old in
                var new = old
                new.phone = nil
                return new
            }
            try Contact.update(contentsOf: list, in: db)
            #expect(try Contact.find([4, 6], in: db) == list)
            #expect(try Contact.where { $0.score > 4 }.update(in: db) { [$0.phone.set(nil), $0.score.set(0)] } == 4)
            #expect(try Contact.update(1, in: db) { [$0.phone.set("110")] })
            #expect(try Contact.where { $0.id.isIn([3, 5, 999]) }.update(in: db) { [$0.phone.set("112")] } == 2)
            #expect(
                try Contact.where { $0.email.isIn(["contact8@example.org", "?"]) }
                    .update(in: db) { [$0.phone.set(nil)] } == 1)
            let phones = try Contact.find([1, 2, 3, 4, 5, 6, 8, 18], in: db).map(\.phone)
            #expect(phones == ["110", nil, "112", nil, "112", nil, nil, nil])
        }
    }

    @Test("delete") func delete() async throws {
        try await store.write { db in
            try Contact.insert(contentsOf: Contact.samples(20), in: db)
            let contact = try #require(try Contact.find(1, in: db))
            #expect(try Contact.delete(contact, in: db))
            #expect(try !Contact.delete(contact, in: db))
            try expectFailure(.missingKey) { try Contact.delete(Contact(), in: db) }
            #expect(try Contact.delete(contentsOf: Contact.find([2, 3], in: db), in: db) == 2)
            #expect(try Contact.where { $0.score > 4 }.delete(in: db) == 4)
            #expect(try Contact.delete(4, in: db))
            #expect(try Contact.delete(keys: [5, 6, 999], in: db) == 2)
            #expect(try Contact.where { $0.name == "Contact 7" }.delete(in: db) == 1)
            #expect(try Contact.all(in: db).map(\.id) == Array(8...16))
            #expect(try Contact.truncate(in: db) == 9)
            #expect(try Contact.insert(Contact(), in: db) == 1)
        }
    }

    @Test("upsert by a unique column") func upsert() async throws {
        try await store.write { db in
            let first = try Note.upsert(Note("a", slug: "s", level: 7), .by(\.title), in: db)
            #expect(first == Upserted(.inserted, 1))
            // The column decides, then the key, and a given key is kept.
            #expect(try Note.upsert(Note("a", level: 8), .by(\.title, nils: .keep), in: db) == Upserted(.updated, 1))
            #expect(try Note.find(1, in: db)?.slug == "s")
            #expect(
                try Note.upsert(Note("a", level: 8), .by(\.title, nils: .overwrite), in: db) == Upserted(.updated, 1))
            #expect(try Note.find(1, in: db) == Note(id: 1, "a", level: 8))
            #expect(try Note.upsert(Note(id: 1, "b"), .by(\.title), in: db).outcome == .updated)
            #expect(try Note.upsert(Note(id: 40, "c"), .by(\.title), in: db) == Upserted(.inserted, 40))
            // By the key: nil is new; by another column: nil is an error.
            #expect(try Note.upsert(Note("d", mood: "new"), in: db) == Upserted(.inserted, 41))
            try expectFailure(.missingKey) { try Note.upsert(Note(nil), .by(\.title), in: db) }
            #expect(try Note.count(in: db) == 3)
        }
    }

    @Test("schema and status") func schemaAndStatus() async throws {
        try await store.write { db in
            try db.createTable(Purchase.schema)
            #expect(try db.tableNames().contains("purchase"))
            try db.addColumn(Column<String?>("note"), to: "purchase")
            #expect(try db.columns(of: "purchase").map(\.name) == ["id", "buyer", "article", "total", "note"])
            try db.createIndex(TableIndex("by_total", on: Purchase.columns.total), on: "purchase")
            #expect(try db.indexes(of: "purchase").map(\.name).contains("by_total"))
            try db.dropIndex("by_total")
            #expect(try !db.indexes(of: "purchase").map(\.name).contains("by_total"))
            try db.dropTable("purchase")
            #expect(try !db.hasTable("purchase"))
            try db.execute("INSERT INTO task (title) VALUES ('a'), ('b')")
            #expect(db.lastInsertedRowID == 2)
            #expect(try db.execute("UPDATE task SET state = 'x'") == 2)
            #expect(try db.value("SELECT state FROM task WHERE id = 2", as: String.self) == "x")
        }
    }
}
