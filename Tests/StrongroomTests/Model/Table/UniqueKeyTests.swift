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
            let (one, first) = (Plain.where { $0.word == "a" }, Plain.query.limit(1))
            try expectFailure(.tableDiffers) {
                try one.update(in: db, returning: Plain.self) { [$0.word.set("new")] }
            }
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
                try Scan.changeBlob(\.data, of: 7, in: db) { blob in try blob.write([1], at: 0) }
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

    @Test func aViewIsNotLookedAt() async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute("CREATE TABLE base (id INTEGER PRIMARY KEY, word TEXT)")
            try db.execute("CREATE VIEW plain AS SELECT id, word FROM base")
            try db.execute(
                """
                CREATE TRIGGER gone INSTEAD OF DELETE ON plain BEGIN DELETE FROM base WHERE id = old.id; END
                """)
            try db.execute("INSERT INTO base VALUES (7, 'a')")
            _ = try Plain.delete(7, in: db)
            #expect(try db.value("SELECT count(*) FROM base", as: Int.self) == 0)
        }
    }

    @Test func anInsertIntoAViewSaysThatItsRowsAreNotCounted() async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute("CREATE TABLE base (id INTEGER PRIMARY KEY, word TEXT)")
            try db.execute("CREATE VIEW plain AS SELECT id, word FROM base")
            try db.execute(
                """
                CREATE TRIGGER made INSTEAD OF INSERT ON plain BEGIN INSERT INTO base VALUES (new.id, new.word); END
                """)
            let error = try expectFailure(.writeRefused) { try Plain.insert(Plain(id: 7, word: "a"), in: db) }
            #expect(error.message.contains("a trigger ignored it, or that is a view"), "\(error.message)")
        }
    }
}
