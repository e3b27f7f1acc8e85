import Strongroom
import StrongroomTesting
import Testing

/// Keys and unique values are told apart as the engine does it: by the collation, and never by how letters are
/// composed.
@Suite("Keys as the engine compares them")
struct ComparedKeyTests {
    /// Composed and decomposed: one text to Swift, two to the engine.
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Table("word")
    struct Word: Equatable {
        @Column(primaryKey: true, collation: .noCase) var text: String
        var visits = 0
    }

    @Table("writer")
    struct Writer: Equatable {
        @Column(primaryKey: true, collation: .noCase) var name: String
        @HasMany var works: [Work] = []

        static let relations: Relations<Writer>? = Relations().hasMany(\.$works, by: \.writer, orphans: .delete)
    }

    @Table("work")
    struct Work: Equatable {
        var id: Int64?
        var title: String
        var writer: String?
        @BelongsTo var author: Writer? = nil

        static let relations: Relations<Work>? = Relations().belongsTo(\.$author, by: \.writer)
    }

    @Table("member")
    struct Member: Equatable {
        var id: Int64?
        @Column(collation: .noCase) var email: String
        var note = ""

        static var indexes: [TableIndex] {
            [TableIndex("exact_email", on: .column("email", collation: .binary), unique: true)]
        }
    }

    @Table("guest")
    struct Guest: Equatable {
        var id: Int64?
        var email: String
        var note = ""

        static var indexes: [TableIndex] {
            [TableIndex("any_email", on: .column("email", collation: .noCase), unique: true)]
        }
    }

    @Test("a key counts once, whatever the case of its letters")
    func once() async throws {
        try await TemporaryStore(tables: [Word.schema]).store.write { db throws in
            try Word.insert(contentsOf: ["ada", Self.composed, Self.decomposed].map { Word(text: $0) }, in: db)
            #expect(try Word.find(["ada", "ADA"], in: db).map(\.text) == ["ada"])
            // These are two.
            #expect(try Word.find([Self.composed, Self.decomposed], in: db).count == 2)
        }
    }

    private static func loadedWriters(_ db: borrowing WriteTransaction) throws -> [Writer] {
        try Writer.insert(contentsOf: ["ada", composed, decomposed].map { Writer(name: $0) }, in: db)
        for (title, writer) in [("1", "ADA"), ("2", "ada"), ("3", composed), ("4", decomposed)] {
            try Work.insert(Work(title: title, writer: writer), in: db)
        }
        var writers = try Writer.all(in: db)
        try Writer.load(\.$works, of: &writers, in: db)
        return writers
    }

    @Test("children are loaded for the parent to which the engine says that they refer")
    func children() async throws {
        try await TemporaryStore(tables: [Writer.schema, Work.schema]).store.write { db throws in
            let writers = try Self.loadedWriters(db)
            func titles(_ name: String) -> [String]? {
                writers.first { $0.name.utf8.elementsEqual(name.utf8) }?.works.map(\.title)
            }
            #expect(titles("ada") == ["1", "2"])
            #expect(titles(Self.composed) == ["3"] && titles(Self.decomposed) == ["4"])

            var works = try Work.all(in: db)
            try Work.load(\.$author, of: &works, in: db)
            let wanted = ["ada", "ada", Self.composed, Self.decomposed].map { Array($0.utf8) }
            #expect(works.map { $0.author.map { Array($0.name.utf8) } } == wanted)
        }
    }

    @Test("what is taken out of a list is deleted, and nothing of another list")
    func orphans() async throws {
        try await TemporaryStore(tables: [Writer.schema, Work.schema]).store.write { db throws in
            var writers = try Self.loadedWriters(db)
            for index in writers.indices where !writers[index].name.utf8.elementsEqual(Self.decomposed.utf8) {
                writers[index].works = []
            }
            try Writer.save(contentsOf: &writers, cascading: true, in: db)
            #expect(try Work.all(in: db).map(\.title) == ["4"])
            #expect(try Work.all(in: db).first?.writer.map { Array($0.utf8) } == Array(Self.decomposed.utf8))
        }
    }

    @Test("deleting a parent takes its children, whatever the case of their references")
    func deleted() async throws {
        try await TemporaryStore(tables: [Writer.schema, Work.schema]).store.write { db throws in
            let ada = Writer(name: "ada")
            try Writer.insert(ada, in: db)
            try Work.insert(Work(title: "1", writer: "ADA"), in: db)
            try Work.insert(Work(title: "2", writer: "Bo"), in: db)
            #expect(try Writer.delete(ada, cascading: true, in: db))
            #expect(try Work.all(in: db).map(\.title) == ["2"])
        }
    }

    @Test("an upsert finds its row as the unique index does, and no other")
    func upserts() async throws {
        try await TemporaryStore(tables: [Member.schema, Guest.schema]).store.write { db throws in
            try Member.insert(Member(email: "ada@x", note: "lower"), in: db)
            #expect(try Member.upsert(Member(email: "ADA@x", note: "upper"), .by(\.email), in: db).outcome == .inserted)
            #expect(try Member.upsert(Member(email: "ADA@x", note: "again"), .by(\.email), in: db).key == 2)
            #expect(try Member.upsert(json: #"{"email": "ADA@X", "note": "json"}"#, .by(\.email), in: db)[0].key == 3)
            #expect(try Member.upsert(json: #"{"email": "ADA@x", "note": "2"}"#, .by(\.email), in: db)[0].key == 2)
            #expect(try Member.all(in: db).map(\.note) == ["lower", "2", "json"])

            try Guest.insert(Guest(email: "ada@x"), in: db)
            #expect(try Guest.upsert(Guest(email: "ADA@x", note: "1"), .by(\.email), in: db).outcome == .updated)
            #expect(try Guest.upsert(json: #"{"email": "Ada@x", "note": "2"}"#, .by(\.email), in: db)[0].key == 1)
            #expect(try Guest.all(in: db) == [Guest(id: 1, email: "Ada@x", note: "2")])
        }
    }

    @Test("an upsert writes none of two rows that have the value")
    func ambiguous() async throws {
        try await TemporaryStore().store.write { db throws in
            // The declaration says unique, and the file does not.
            try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name, email, phone, score, photo)")
            for name in ["a", "b"] { try Contact.insert(Contact(name: name, email: "same"), in: db) }
            try expectFailure(.notUnique) {
                try Contact.upsert(Contact(name: "c", email: "same"), .by(\.email), in: db)
            }
            try expectFailure(.notUnique) {
                try Contact.upsert(Contact(name: "c", email: "same"), .by(\.email, only: { [$0.name] }), in: db)
            }
            #expect(try Contact.all(in: db).map(\.name) == ["a", "b"])
        }
    }
}

/// Names of tables and columns are one where the engine takes them for one, and never by how letters are composed.
@Suite("Names as the engine compares them")
struct ComparedNameTests {
    /// Composed and decomposed: one name to Swift, two to the engine.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    /// A record that writes the columns' names in another case than the table.
    @Record
    struct Shouted: Equatable {
        @Column("ID") var id: Int64?
        @Column("TITLE") var title: String?
        @Column("MOOD") var mood: String?
    }

    enum Shouts: Table {
        typealias RecordType = Shouted

        struct Columns: Sendable {
            let id = Column<Int64?>("id", primaryKey: true)
            let title = Column<String?>("title", unique: true)
            let mood = Column<String?>("mood", default: "calm")
        }

        static let columns = Columns()
        static let schema = TableSchema("shout", columns.id, columns.title, columns.mood)
        static func key(of record: Shouted) -> Int64? { record.id }
        static func setKey(_ key: Int64, of record: inout Shouted) { record.id = key }
    }

    @Test("a record's columns may be written in another case than the table's")
    func records() async throws {
        try await TemporaryStore(tables: [Shouts.schema]).store.write { db throws in
            var shout = Shouted(title: "a")
            try Shouts.save(&shout, .insert, in: db)
            #expect(try Shouts.find(1, in: db) == Shouted(id: 1, title: "a", mood: "calm"))
            try Shouts.update(Shouted(id: 1, title: "b", mood: "loud"), only: { [$0.title] }, in: db)
            #expect(try Shouts.find(1, in: db) == Shouted(id: 1, title: "b", mood: "calm"))
            let again = Shouted(title: "b", mood: "quiet")
            #expect(try Shouts.upsert(again, .by(\.title), in: db).outcome == .updated)
            try Shouts.insert(contentsOf: ["c", "d"].map { Shouted(title: $0) }, in: db)
            let query = Shouts.order { $0.title.descending }.limit(2)
            let first = try query.fetch(in: db)
            let last = try #require(first.last)
            #expect(try query.after(last).fetch(in: db).map(\.title) == ["b"])

            var note = Named("a")
            try note.merge(Renamed(name: "b", size: 3), overriding: true)
            #expect(note == Named("b", 3))
        }
    }

    /// Another record with the columns of ``Named``.
    @Record
    struct Renamed {
        @Column("Name") var name: String
        @Column("Size") var size: Int
    }

    @Test("the column that is dropped or changed is the one that is named")
    func columns() async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, \(name: Self.composed) TEXT, \(name: Self.decomposed) TEXT)")
            try db.execute("INSERT INTO t VALUES (1, 'composed', 'decomposed')")
            try db.changeColumn(Column<String?>(Self.decomposed, default: "none"), in: "t")
            #expect(try db.columns(of: "t").map(\.defaultSQL) == [nil, nil, "'none'"])
            try db.dropColumn(Self.decomposed, from: "t")
            let left = try db.columns(of: "t").map { Array($0.name.utf8) }
            #expect(left == ["id", Self.composed].map { Array($0.utf8) })
            #expect(try db.value("SELECT \(name: Self.composed) FROM t", as: String.self) == "composed")
        }
    }

    @Test("the table that is changed is the one that is named")
    func tables() async throws {
        try await TemporaryStore().store.write { db throws in
            for table in [Self.composed, Self.decomposed] {
                try db.execute("CREATE TABLE \(name: table) (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
                try db.execute("INSERT INTO \(name: table) VALUES (1, 'a', 'b')")
            }
            try db.dropColumn("b", from: Self.decomposed)
            #expect(try db.columns(of: Self.composed).count == 3 && db.columns(of: Self.decomposed).count == 2)
        }
    }

    @Test("capital letters beyond A to Z are other names")
    func capitals() async throws {
        let schema = TableSchema(
            "t", Column<Int64?>("id", primaryKey: true), Column<String>("\u{E9}"), Column<String>("\u{C9}"))
        let store = try await TemporaryStore(tables: [schema]).store
        try await store.read { db throws in #expect(try db.columns(of: "t").count == 3) }
        let twice = TableSchema("t", Column<Int64?>("id", primaryKey: true), Column<String>("ID"))
        try await store.write { db throws in
            try expectFailure(.invalidDeclaration) { try db.createTable(twice, ifNotExists: true) }
        }
    }
}
