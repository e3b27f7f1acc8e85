import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Is stored as JSON.
struct CodedOptions: Codable, Sendable, Equatable {
    var a: Int
    var b: Int
}

/// What has several stored forms has no place in an order that Swift can name.
@Suite("Orders of coded columns")
struct CodedOrderTests {
    @Table("profile")
    struct Profile: Equatable {
        var id: Int64?
        @Column(as: .json) var options: CodedOptions
    }

    @Test("no page follows a record by them")
    func pages() async throws {
        try await TemporaryStore(tables: [Profile.schema]).store.write { db throws in
            // As another program writes it: read as it is, and written by the library in another form.
            for number in 1...4 {
                try db.execute("INSERT INTO profile (options) VALUES (\(#"{ "b": \#(number), "a": 1 }"#))")
            }
            let query = Profile.order { $0.options.ascending }.limit(2)
            let last = try #require(try query.fetch(in: db).last)
            try expectFailure(.notTranslatable, saying: "stored") { try query.after(last).fetch(in: db) }
            try expectFailure(.notTranslatable) { try query.cursor(after: last) }
            // Sorted it can be, and by the key it is paged.
            let byKey = Profile.order { $0.id.ascending }.limit(2)
            #expect(try byKey.after(#require(try byKey.fetch(in: db).last)).fetch(in: db).map(\.options.b) == [3, 4])
        }
    }

    @Test(
        "a comma after the last value is refused",
        arguments: [
            #"{"id": 1, "options": {"a": 1, "b": 2},}"#, #"{"id": 1, "options": {"a": 1, "b": 2 , } }"#,
        ])
    func trailingComma(json: String) async throws {
        try expectFailure(.notARecord, saying: "comma") { try Profile(json: json) }
        try expectFailure(.notARecord) { try Profile.records(json: "[\(json)]") }
        let whole = #"{"id": 1, "options": {"a": 1, "b": 2}}"#
        try expectFailure(.notARecord) { try Profile.records(json: "[\(whole),\n]") }
        #expect(try Profile.records(json: "[\(whole), \(whole)]").count == 2)
    }

    @Test(
        "a key that stands twice in an object is refused",
        arguments: [
            #"{"id": 1, "options": {"a": 1, "b": 2}, "id": 2}"#, #"{"id": 1, "options": {"a": 1, "b": 2, "a": 3}}"#,
            #"{"id": 1, "\u0069d": 2, "options": {"a": 1, "b": 2}}"#,
        ])
    func twice(json: String) async throws {
        try expectFailure(.notARecord, saying: "twice") { try Profile(json: json) }
        try expectFailure(.notARecord) { try Profile.records(json: "[\(json)]") }
        var profile = Profile(id: 7, options: CodedOptions(a: 1, b: 2))
        try expectFailure(.notARecord) { try profile.apply(json: json) }
        #expect(profile.id == 7)
        try await TemporaryStore(tables: [Profile.schema]).store.write { db throws in
            try expectFailure(.notARecord) { try Profile.upsert(json: json, in: db) }
            #expect(try Profile.count(in: db) == 0)
        }
    }

    @Test("keys that stand once in each object are read, whatever their texts hold")
    func once() throws {
        let json = #"[{"id": 1, "options": {"a": 1, "b": 2}}, {"id": 2, "options": {"b": 1, "a": 2}}]"#
        #expect(try Profile.records(json: json).map(\.options.a) == [1, 2])
        let odd = #"{"name": "a\"{,\"name\":\\", "size": 3}"#
        #expect(try Named(json: odd).name == #"a"{,"name":\"#)
    }
}
