import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
