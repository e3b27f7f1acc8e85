#if Macros
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Reading and writing\"")
struct ReadingAndWritingExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        @Column(unique: true) var email: String?
        var phone: String?
        @Column(default: 0) var calls = 0
        @Column(default: 0) var age = 0
    }

    @Table("price")
    struct Price: Equatable {
        var id: Int64?
        var shop: String
        var article: String
        var cents: Int?

        static var indexes: [TableIndex] { [TableIndex(on: columns.shop, columns.article, unique: true)] }
    }

    func names(in db: borrowing some Reading & ~Copyable) throws -> [String] {
        try Contact.all(in: db).map(\.name)
    }

    private func store() async throws -> Store {
        try await TemporaryStore(tables: [Contact.schema, Price.schema]).store
    }

    @Test func aFunctionForAnyTransaction() async throws {
        let store = try await store()
        let written = try await store.write { db in
            try Contact.insert(Contact(name: "Ada"), in: db)
            return try names(in: db)
        }
        let read = try await store.read { db in try names(in: db) }
        #expect(written == ["Ada"] && read == ["Ada"])
    }

    @Test func whatStandsInParenthesesIsBound() async throws {
        let store = try await store()
        let contacts = [Contact(name: "a", age: 1), Contact(name: "c", age: 19)]
        try await store.table(Contact.self).insert(contentsOf: contacts)
        let limit = 5
        try await store.read { db in
            let old = try db.value("SELECT count(*) FROM contact WHERE age > \(limit)", as: Int.self)

            let adults = try db.fetch(Contact.self, "SELECT *, age - 18 AS since FROM contact WHERE age >= 18")

            #expect(old == 1)
            #expect(adults.map(\.name) == ["c"])
        }
        for statement: SQL in ["BEGIN", "COMMIT", "ATTACH 'x' AS y"] {
            let error = await #expect(throws: StrongroomError.self) {
                try await store.write { db in try db.execute(statement) }
            }
            #expect(error?.code == .notAuthorized)
        }
    }

    @Test func insertingAndUpdating() async throws {
        try await store().write { db in
            var contact = Contact(name: "Ada", email: "ada@example.org")
            let contacts = (1...40).map { Contact(id: Int64($0) + 10, name: "\($0)") }

            try Contact.insert(&contact, in: db)  // sets the record's new key
            let keys = try Contact.insert(contentsOf: contacts, in: db)  // all or none
            try Contact.insertOrIgnore(contact, in: db)  // nil if a unique value exists already
            try Contact.insert(in: db) { [$0.name.set("Ada")] }  // single values

            #expect(contact.id == 1 && keys == (11...50).map { $0 })
            #expect(try Contact.insertOrIgnore(contact, in: db) == nil)
            #expect(try Contact.count(in: db) == 42)
            contact.name = "Grace"
            contact.phone = "030"
            contact.calls = 7

            try Contact.update(contact, in: db)
            try Contact.update(contentsOf: contacts, in: db)  // all or none
            try Contact.update(contact, only: { [$0.name, $0.phone] }, in: db)
            try Contact.update(42, in: db) { [$0.calls.set($0.calls + 1)] }

            #expect(try Contact.find(1, in: db) == contact)
            #expect(try Contact.find(42, in: db)?.calls == 1)
            contact.calls = 0
            contact.name = "Edith"
            try Contact.update(contact, only: { [$0.name, $0.phone] }, in: db)
            #expect(try Contact.find(1, in: db)?.calls == 7 && Contact.find(1, in: db)?.name == "Edith")
        }
    }

    @Table("document")
    struct Document: Equatable {
        var id: Int64?
        var title: String
        @Column(kept: .version) var version = 0
        @Column(kept: .created) var created: Date?
        @Column(kept: .updated) var changed: Date?
    }

    @Test func versionsAndTimes() async throws {
        let store = try await TemporaryStore(tables: [Document.schema]).store
        try await store.write { db in
            let key = try Document.insert(Document(title: "a"), in: db)
            var mine = try #require(try Document.find(key, in: db))
            try Document.update(key, in: db) { [$0.title.set("theirs")] }
            mine.title = "mine"

            do {
                try Document.update(mine, in: db)
            } catch let error as StrongroomError where error.code == .staleRecord {
                guard var current = try Document.find(key, in: db) else { throw error }
                current.title = mine.title
                try Document.update(&current, in: db)  // `current` has the new version then
            }

            let row = try #require(try Document.find(key, in: db))
            #expect(row.title == "mine" && row.version == 2)
            #expect(row.created != nil && row.changed != nil)
        }
    }

    @Test func deleting() async throws {
        try await store().write { db in
            try Contact.insert(contentsOf: (1...42).map { Contact(id: $0, name: "a", calls: Int($0) % 2) }, in: db)
            let before = try db.value("SELECT total_changes()", as: Int.self) ?? 0

            try Contact.delete(42, in: db)  // or a record, or a list of either
            try Contact.where { $0.calls == 0 }.delete(in: db)
            try Contact.truncate(in: db)

            #expect(try Contact.count(in: db) == 0)
            // Each row was deleted once.
            #expect(try db.value("SELECT total_changes()") == before + 42)
        }
    }

    @Test func upserting() async throws {
        try await store().write { db in
            var contact = Contact(name: "Ada", email: "ada@example.org")
            let key = try Contact.insert(contact, in: db)
            try Price.insert(Price(shop: "a", article: "x", cents: 5), in: db)
            let prices = [Price(shop: "a", article: "x"), Price(shop: "a", article: "y", cents: 7)]
            contact.name = "Countess"

            let done = try Contact.upsert(contact, by: \.email, in: db)
            try Price.upsert(contentsOf: prices, by: \.shop, \.article, nils: .keep, in: db)
            try Contact.upsert(contact, by: \.email, only: { [$0.name, $0.phone] }, in: db)

            #expect(done == Upserted(.updated, key))
            #expect(try Contact.find(key, in: db)?.name == "Countess")
            #expect(try Price.all(in: db).map(\.cents) == [5, 7])
        }
    }
}
#endif
