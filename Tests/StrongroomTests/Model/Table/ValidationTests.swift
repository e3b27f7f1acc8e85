import Strongroom
import StrongroomTesting
import Testing

/// A record that says no: to a name on insert, to another on update.
@Table("choosy")
private struct Choosy: Equatable {
    var id: Int64?
    var name: String
    @Column(unique: true) var code: String

    struct Refusal: Error, Equatable {
        let operation: String
        let name: String
    }

    static func validateInsert(_ record: Choosy) throws {
        if record.name.contains("no insert") { throw Refusal(operation: "insert", name: record.name) }
    }

    static func validateUpdate(_ record: Choosy) throws {
        if record.name.contains("no update") { throw Refusal(operation: "update", name: record.name) }
    }

    init(id: Int64? = nil, _ name: String, _ code: String) {
        (self.id, self.name, self.code) = (id, name, code)
    }
}

struct ValidationTests {
    private static let noInsert = Choosy.Refusal(operation: "insert", name: "no insert")
    private static let noUpdate = Choosy.Refusal(operation: "update", name: "no update")

    @Test func anInsertIsAskedAboutFirst() async throws {
        try await TemporaryStore(tables: [Choosy.schema]).store.write { db in
            #expect(throws: Self.noInsert) { try Choosy.insert(Choosy("no insert", "1"), in: db) }
            var record = Choosy("no insert", "1")
            #expect(throws: Self.noInsert) { try Choosy.save(&record, .insert, in: db) }
            #expect(record.id == nil)
            #expect(throws: Self.noInsert) {
                try Choosy.insert(contentsOf: [Choosy("a", "1"), Choosy("no insert", "2")], in: db)
            }
            #expect(try Choosy.count(in: db) == 0)
            try Choosy.insert(Choosy("no update", "1"), in: db)
        }
    }

    @Test func anUpdateIsAskedAboutFirst() async throws {
        try await TemporaryStore(tables: [Choosy.schema]).store.write { db in
            try Choosy.insert(contentsOf: [Choosy("a", "1"), Choosy("b", "2")], in: db)
            #expect(throws: Self.noUpdate) { try Choosy.update(Choosy(id: 1, "no update", "1"), in: db) }
            #expect(throws: Self.noUpdate) {
                try Choosy.update(contentsOf: [Choosy(id: 1, "c", "1"), Choosy(id: 2, "no update", "2")], in: db)
            }
            #expect(try Choosy.all(in: db).map(\.name) == ["a", "b"])
            try Choosy.update(Choosy(id: 1, "no insert", "1"), in: db)
        }
    }

    @Test func anUpsertIsAskedAboutWhatItDoes() async throws {
        try await TemporaryStore(tables: [Choosy.schema]).store.write { db in
            try Choosy.insert(Choosy("a", "1"), in: db)
            for nils in [NilPolicy.overwrite, .keep] {
                #expect(throws: Self.noUpdate, "by the unique column") {
                    try Choosy.upsert(Choosy("no update", "1"), .by(\.code, nils: nils), in: db)
                }
                #expect(throws: Self.noUpdate, "by the key") {
                    try Choosy.upsert(Choosy(id: 1, "no update", "9"), .by(\.code, nils: nils), in: db)
                }
                #expect(throws: Self.noUpdate) {
                    try Choosy.upsert(Choosy(id: 1, "no update", "9"), .key(nils: nils), in: db)
                }
                #expect(throws: Self.noInsert) {
                    try Choosy.upsert(Choosy("no insert", "9"), .by(\.code, nils: nils), in: db)
                }
                #expect(throws: Self.noInsert) {
                    try Choosy.upsert(Choosy(id: 9, "no insert", "9"), .by(\.code, nils: nils), in: db)
                }
            }
            #expect(try Choosy.all(in: db) == [Choosy(id: 1, "a", "1")])
        }
    }

    @Test func anUpsertIsNotAskedAboutWhatItDoesNot() async throws {
        try await TemporaryStore(tables: [Choosy.schema]).store.write { db in
            try Choosy.upsert(Choosy("no update", "1"), .by(\.code), in: db)
            try Choosy.upsert(Choosy(id: 5, "no update", "5"), .by(\.code), in: db)
            try Choosy.upsert(Choosy(id: 6, "no update", "6"), in: db)
            try Choosy.upsert(Choosy("no insert", "1"), .by(\.code), in: db)
            try Choosy.upsert(Choosy(id: 5, "no insert", "55"), .by(\.code), in: db)
            #expect(try Choosy.all(in: db).map(\.name) == ["no insert", "no insert", "no update"])
        }
    }
}
