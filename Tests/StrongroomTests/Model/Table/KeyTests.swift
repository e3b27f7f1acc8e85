import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Tables of other programs in which several rows can have the declared key")
struct UniqueKeyTests {
    @Table("plain")
    struct Plain: Equatable {
        var id: Int64?
        var word: String
    }

    private func store(_ columns: String) async throws -> Store {
        let store = try await TemporaryStore().store
        try await store.write { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE plain (\(columns))"))
            try db.execute("INSERT INTO plain (id, word) VALUES (7, 'a'), (8, 'c')")
        }
        return store
    }

    @Test(arguments: ["id INTEGER, word TEXT", "id INTEGER, word TEXT, PRIMARY KEY (id, word)"])
    func noWriteByKeyReachesSeveralRows(columns: String) async throws {
        try await store(columns).write { db throws in
            try db.execute("INSERT INTO plain (id, word) VALUES (7, 'b')")
            let new = Plain(id: 7, word: "new")
            try expectFailure(.tableDiffers, saying: "unique index") { try Plain.update(new, in: db) }
            try expectFailure(.tableDiffers) { try Plain.upsert(new, in: db) }
            try expectFailure(.tableDiffers) {
                var copy = new
                try Plain.save(&copy, in: db)
            }
            try expectFailure(.tableDiffers) { try Plain.update(7, in: db) { [$0.word.set("new")] } }
            try expectFailure(.tableDiffers) { try Plain.delete(7, in: db) }
            try expectFailure(.tableDiffers) { try Plain.delete(new, in: db) }
            try expectFailure(.tableDiffers) { try Plain.delete(keys: Array(0..<Int64(1_000)), in: db) }
            let first = Plain.query.limit(1)
            try expectFailure(.tableDiffers) { try first.delete(in: db) }
            try expectFailure(.tableDiffers) { try first.update(in: db) { [$0.word.set("new")] } }
            #expect(try db.value("SELECT group_concat(word) FROM plain WHERE id = 7", as: String.self) == "a,b")
            // Rows are read, and written by a condition.
            #expect(try Plain.find(8, in: db)?.word == "c")
            #expect(try Plain.where { $0.id == 7 }.delete(in: db) == 2)
        }
    }

    @Table("plain")
    struct Scan {
        var id: Int64?
        var data: [UInt8]
    }

    @Test func aValueIsWrittenInPartsToOneRowAlone() async throws {
        try await store("id INTEGER, word TEXT, data BLOB").write { db throws in
            try db.execute("UPDATE plain SET id = 7, data = x'00'")
            try expectFailure(.tableDiffers) {
                try Scan.writeBlob(\.data, of: 7, in: db) { blob in try blob.write([1], at: 0) }
            }
            try expectFailure(.tableDiffers) {
                try Scan.writeBlob(\.data, of: 7, size: 1, in: db) { blob in try blob.append([1]) }
            }
            #expect(try db.value("SELECT count(*) FROM plain WHERE data = x'00'", as: Int.self) == 2)
        }
    }

    @Test func anIndexThatIsCreatedLaterIsEnough() async throws {
        let store = try await store("id INTEGER, word TEXT")
        try await store.write { db throws in
            try expectFailure(.tableDiffers) { try Plain.delete(7, in: db) }
            try db.execute("CREATE UNIQUE INDEX part ON plain (id) WHERE word = 'a'")
            try expectFailure(.tableDiffers) { try Plain.delete(7, in: db) }
            try db.execute("CREATE UNIQUE INDEX plain_id ON plain (id)")
            #expect(try Plain.delete(7, in: db))
        }
        try await store.write { db throws in
            try Plain.update(Plain(id: 8, word: "d"), in: db)
            #expect(try Plain.all(in: db) == [Plain(id: 8, word: "d")])
        }
    }

    @Test(arguments: [
        "id INTEGER PRIMARY KEY, word TEXT", "ID INT PRIMARY KEY, word TEXT", "id INTEGER UNIQUE, word TEXT",
        "id INTEGER NOT NULL, word TEXT, PRIMARY KEY (id)",
    ])
    func aKeyOfTheFileIsEnough(columns: String) async throws {
        try await store(columns).write { db throws in
            try Plain.update(Plain(id: 7, word: "new"), in: db)
            #expect(try Plain.delete(8, in: db))
            #expect(try Plain.all(in: db) == [Plain(id: 7, word: "new")])
        }
    }

    @Test("The key of a view is not compared, and an insert into one says that its rows are not counted")
    func views() async throws {
        try await TemporaryStore().store.write { db throws in
            for statement: SQL in [
                "CREATE TABLE base (id INTEGER PRIMARY KEY, word TEXT)",
                "CREATE VIEW plain AS SELECT id, word FROM base",
                "CREATE TRIGGER gone INSTEAD OF DELETE ON plain BEGIN DELETE FROM base WHERE id = old.id; END",
                """
                CREATE TRIGGER added INSTEAD OF INSERT ON plain BEGIN INSERT INTO base VALUES (new.id, new.word); END
                """,
                "INSERT INTO base VALUES (7, 'a')",
            ] { try db.execute(statement) }
            _ = try Plain.delete(7, in: db)
            #expect(try db.value("SELECT count(*) FROM base", as: Int.self) == 0)
            try expectFailure(.writeRefused, saying: "a trigger ignored it, or that is a view") {
                try Plain.insert(Plain(id: 7, word: "a"), in: db)
            }
        }
    }
}

@Suite("UUID keys")
struct UUIDKeyTests {
    @Table("token")
    struct Token: Equatable {
        var id: UUID?
        var text: String
    }

    @Table("sealed")
    struct Sealed {
        let id: UUID?
        var text: String
    }

    @Table("own")
    struct Own: Equatable {
        var id: UUID = UUID()
        var text: String
    }

    @Test func aNewRecordGetsOne() async throws {
        try await TemporaryStore(tables: [Token.schema]).store.write { db throws in
            var token = Token(text: "a")
            try Token.save(&token, .insert, in: db)
            let key = try #require(token.id)
            #expect(try Token.find(key, in: db) == token)
            #expect(try Token.insert(Token(text: "b"), in: db) != key)
            var saved = Token(text: "c")
            #expect(try Token.save(&saved, in: db) == .inserted)
            saved.text = "d"
            #expect(try Token.save(&saved, in: db) == .updated)
            #expect(try Token.upsert(Token(text: "e"), in: db).outcome == .inserted)
            #expect(try Token.count(in: db) == 4)
            let made = try Token.insert(in: db) { [$0.text.set("f")] }
            #expect(try Token.find(made, in: db)?.text == "f")
        }
    }

    @Test(arguments: [2, 1_000]) func soDoesEachOfAList(_ count: Int) async throws {
        try await TemporaryStore(tables: [Token.schema]).store.write { db throws in
            var list = (0..<count).map { Token(text: "\($0)") }
            list[1].id = UUID()
            let given = list[1].id
            try Token.save(contentsOf: &list, in: db)
            #expect(list[1].id == given)
            #expect(Set(list.map(\.id)).count == count)
            #expect(try Token.find(list.compactMap(\.id), in: db) == list)
            let keys = try Token.insert(contentsOf: (0..<count).map { Token(text: "\($0)") }, in: db)
            #expect(Set(keys).count == count)
            #expect(try Token.find(keys, in: db).map(\.text) == (0..<count).map { "\($0)" })
        }
    }

    @Test func itIsTextWithThePrimaryKeysIndex() async throws {
        try await TemporaryStore(tables: [Token.schema]).store.write { db throws in
            let key = try Token.insert(Token(text: "a"), in: db)
            #expect(try db.value("SELECT typeof(id) FROM token", as: String.self) == "text")
            #expect(try db.value("SELECT id FROM token", as: String.self) == key.uuidString)
            let indexes = try db.value(
                "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'token'", as: Int.self)
            #expect(indexes == 1)
            var plan = ""
            try db.forEachRow("EXPLAIN QUERY PLAN SELECT * FROM token WHERE id = \(key)") { row in plan = try row[3] }
            #expect(plan.contains("SEARCH") && plan.contains("sqlite_autoindex_token_1"), "\(plan)")
            #expect(try db.value("SELECT count(*) FROM token WHERE id IS NULL", as: Int.self) == 0)
        }
    }

    @Test func aKeyThatCannotBeSetIsMissing() async throws {
        try await TemporaryStore(tables: [Sealed.schema]).store.write { db throws in
            try expectFailure(.missingKey) { try Sealed.insert(Sealed(id: nil, text: "a"), in: db) }
            try expectFailure(.missingKey) {
                try Sealed.insert(contentsOf: (0..<50).map { Sealed(id: nil, text: "\($0)") }, in: db)
            }
            #expect(try Sealed.count(in: db) == 0)
        }
    }

    @Test func oneThatTheRecordBringsIsKept() async throws {
        try await TemporaryStore(tables: [Own.schema]).store.write { db throws in
            var own = Own(text: "a")
            let key = own.id
            #expect(try Own.save(&own, in: db) == .inserted)
            #expect(try Own.save(&own, in: db) == .updated)
            #expect(own.id == key)
            #expect(try Own.all(in: db) == [own])
        }
    }
}

/// A key whose column is declared as no INTEGER.
struct Serial: RawRepresentable, ColumnValue, TableKey {
    var rawValue: Int64

    static var declaredType: String { "BIGINT" }
    init(rawValue: Int64) { self.rawValue = rawValue }
    static func generated(rowID: Int64) -> Serial? { Serial(rawValue: rowID) }
}

/// Keys are made only where the key's column is the row's id in the engine: elsewhere the row would get NULL for its
/// key.
@Suite("Keys that the engine makes")
struct MadeKeyTests {
    @Table("entry")
    struct Entry: Equatable {
        var id: Int64?
        var word: String
    }

    @Table("ticket")
    struct Ticket: Equatable {
        @Column(primaryKey: true) var id: Serial?
        var word: String
    }

    @Test(
        "are refused where the file's column is not the row's id",
        arguments: [
            "id INT PRIMARY KEY, word TEXT NOT NULL", "id BIGINT PRIMARY KEY, word TEXT NOT NULL",
            "id INTEGER PRIMARY KEY DESC, word TEXT NOT NULL", "id INTEGER UNIQUE, word TEXT NOT NULL",
            "id INTEGER, word TEXT NOT NULL, PRIMARY KEY (id, word)",
        ])
    func refused(columns: String) async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute(SQL(stringLiteral: "CREATE TABLE entry (\(columns))"))
            let new = Entry(word: "new")
            try expectFailure(.missingKey) { try Entry.insert(new, in: db) }
            try expectFailure(.missingKey) {
                try Entry.insert(contentsOf: Array(repeating: new, count: 100), in: db)
            }
            try expectFailure(.missingKey) {
                try Entry.insert(
                    contentsOf: [Entry(id: 5, word: "five")] + Array(repeating: new, count: 40), in: db)
            }
            try expectFailure(.missingKey) {
                var copy = new
                try Entry.save(&copy, in: db)
            }
            try expectFailure(.missingKey) { try Entry.upsert(new, in: db) }
            try expectFailure(.missingKey) { try Entry.insert(in: db) { [$0.word.set("new")] } }
            try expectFailure(.missingKey) { try Entry.insert(in: db) { [$0.id.set(nil), $0.word.set("new")] } }
            #expect(try Entry.count(in: db) == 0)
            // With a key of the program's all is well.
            #expect(try Entry.insert(Entry(id: 7, word: "seven"), in: db) == 7)
            #expect(try Entry.insert(in: db) { [$0.id.set(8), $0.word.set("eight")] } == 8)
            #expect(try Entry.find(7, in: db)?.word == "seven" && Entry.find(8, in: db)?.word == "eight")
        }
    }

    @Test(
        "are the row's where it is",
        arguments: [
            "id integer primary key, word TEXT NOT NULL", "word TEXT NOT NULL, ID INTEGER, PRIMARY KEY (id)",
            "id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL",
            "id INTEGER PRIMARY KEY UNIQUE, word TEXT NOT NULL",
            "id INTEGER NOT NULL UNIQUE, word TEXT NOT NULL, PRIMARY KEY (id AUTOINCREMENT)",
        ])
    func made(columns: String) async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute(SQL(stringLiteral: "CREATE TABLE entry (\(columns))"))
            let key = try Entry.insert(Entry(word: "new"), in: db)
            #expect(try Entry.find(key, in: db)?.word == "new")
            let other = try Entry.insert(in: db) { [$0.word.set("other")] }
            #expect(try Entry.find(other, in: db)?.word == "other")
        }
    }

    @Test("are refused where the declared type is another one")
    func otherType() async throws {
        try await TemporaryStore(tables: [Ticket.schema]).store.write { db throws in
            try expectFailure(.missingKey) { try Ticket.insert(Ticket(word: "new"), in: db) }
            try Ticket.insert(Ticket(id: Serial(rawValue: 3), word: "three"), in: db)
            #expect(try Ticket.all(in: db).map(\.id?.rawValue) == [3])
        }
    }

    @Test("begin with 1 after a truncate, however the file declares and writes the table's name")
    func truncated() async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute(#"CREATE TABLE "Entry" (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL)"#)
            try Entry.insert(contentsOf: ["a", "b"].map { Entry(word: $0) }, in: db)
            #expect(try Entry.truncate(in: db) == 2)
            #expect(try Entry.insert(Entry(word: "c"), in: db) == 1)
        }
    }
}
