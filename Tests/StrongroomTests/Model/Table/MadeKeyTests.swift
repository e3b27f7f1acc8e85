import Strongroom
import StrongroomTesting
import Testing

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
