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
        try await store.write { db in try Contact.insert(contentsOf: contacts, in: db) }
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

    @Test func aStatementFromAText() async throws {
        let store = try await store()
        try await store.write { db in
            try Contact.insert(contentsOf: ["a", "b", "c"].map { Contact(name: $0) }, in: db)
        }
        let (text, limit) = ("SELECT name FROM contact ORDER BY name", 2)
        try await store.read { db throws in
            let report = SQL(stringLiteral: text)
            let lines = try db.dictionaries("SELECT * FROM (\(report)) LIMIT \(limit)")

            #expect(lines.map { $0["name"]?.string } == ["a", "b"])
        }
        let error = await #expect(throws: StrongroomError.self) {
            try await store.read { db in _ = try db.dictionaries(SQL(stringLiteral: "DELETE FROM contact")) }
        }
        #expect(error != nil)
    }

    @Test func variablesInTheClosure() async throws {
        let store = try await store()
        var contact = Contact(name: "Ada")
        contact.phone = "+49 30 1234"
        try await store.write { db in try Contact.insert(contact, in: db) }

        try await changed(store)
        #expect(try await store.table(Contact.self).all().map(\.phone) == ["+49 30 1234", nil])
    }

    private func changed(_ store: Store) async throws {
        var contact = Contact(name: "Grace")
        try await store.write(&contact) { db, contact in
            try Contact.save(&contact, in: db)
        }
        #expect(contact.id == 2)
    }

    @Test func rollingBack() async throws {
        let store = try await store()
        try await store.write { db in try Contact.insert(contentsOf: (1...101).map { Contact(name: "\($0)") }, in: db) }

        let count = try await store.write { db in
            let count = try Contact.where { $0.calls == 0 }.delete(in: db)
            if count > 100 { try db.rollBack() }
            return count
        }

        #expect(count == 101)
        #expect(try await store.table(Contact.self).count() == 101)
    }

    @Test func rowsAsDictionaries() async throws {
        let store = try await store()
        try await store.write { db in
            try Contact.insert(
                contentsOf: [
                    Contact(name: "a", age: 7), Contact(name: "c", age: 19),
                ], in: db)
        }
        let limit = 8
        try await store.read { db in
            let rows = try db.dictionaries("SELECT name, age / 10 AS decade FROM contact WHERE age > \(limit)")
            let decades = rows.map { row in "\(row["name"]?.string ?? ""): \(row["decade"]?.int ?? 0)" }
            let totals = try db.dictionary("SELECT count(*) AS number, max(age) AS oldest FROM contact")

            #expect(decades == ["c: 1"])
            #expect(totals == ["number": 2, "oldest": 19])
        }
    }

    private static let feed = #"[{"email": "ada@example.org", "phone": "030"}, {"email": "eve", "name": "Eve"}]"#

    @Test func everyWayToWrite() async throws {
        let store = try await store()
        try await store.write { db in
            var contact = Contact(id: 7, name: "Ada", email: "ada@example.org")
            let contacts = (41...60).map { Contact(id: $0, name: "\($0)", email: "\($0)", calls: Int($0) - 50) }
            var friends = [Contact(id: 41, name: "Bob"), Contact(name: "Eve")]
            let other = Contact(name: "Countess", email: "ada@example.org", calls: 3)
            let (feed, rows) = (Self.feed, [["email": SQLValue.text("bo"), "name": .text("Bo")]])

            // Values
            let key = try Contact.insert(contact, in: db)
            let keys = try Contact.insert(contentsOf: contacts, in: db)
            try Contact.upsert(other, .by(\.email, only: { _ in [] }), in: db)  // inserted, or the row stays
            try Contact.update(contact, in: db)  // the row with its key, which must exist
            try Contact.update(contact, only: { [$0.name, $0.phone] }, in: db)
            try Contact.update(contentsOf: contacts, in: db)
            let done = try Contact.upsert(other, .by(\.email), in: db)  // done.outcome, done.key
            try Contact.upsert(contentsOf: contacts, .by(\.email), in: db)
            try Contact.upsert(json: feed, .by(\.email), in: db)
            try Contact.upsert(dictionaries: rows, .by(\.email), in: db)

            #expect(key == 7 && keys == contacts.map(\.id) && done == Upserted(.updated, key))
            #expect(try Contact.find(key, in: db)?.phone == "030" && Contact.count(in: db) == 23)

            // Variables
            try Contact.save(&contact, in: db)  // updates its row, or inserts one
            try Contact.save(contentsOf: &friends, in: db)
            try Contact.save(&contact, cascading: true, in: db)  // its parents and children, too

            #expect(friends.map(\.name) == ["Bob", "Eve"] && friends[1].id != nil)
            #expect(try Contact.find(key, in: db) == contact)

            // Without a record
            try Contact.insert(in: db) { [$0.name.set("Ada")] }
            try Contact.update(42, in: db) { [$0.calls.set($0.calls + 1)] }
            try Contact.where { $0.calls == 0 }.update(in: db) { [$0.phone.set(nil)] }

            let one = try Contact.find(42, in: db)  // nil if there is none
            let some = try Contact.find([42, 43, 44], in: db)  // those that exist, in this order

            #expect(one?.calls == -7 && some.map(\.calls) == [-7, -7, -6])
            let before = try db.value("SELECT total_changes()", as: Int.self) ?? 0
            let count = try Contact.count(in: db)

            // Deleting
            try Contact.delete(contact, in: db)  // or a list, or with `cascading: true`
            try Contact.delete(42, in: db)
            try Contact.delete(keys: [42, 43], in: db)  // returns how many rows existed
            try Contact.where { $0.calls == 0 }.delete(in: db)
            try Contact.truncate(in: db)

            // Each row was deleted once.
            #expect(try Contact.count(in: db) == 0)
            #expect(try db.value("SELECT total_changes()") == before + count)
        }
        let contact = Contact(name: "Ada")

        try await store.write { try Contact.insert(contact, in: $0) }

        #expect(try await store.table(Contact.self).count() == 1)
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
                try Document.save(&current, .update, in: db)  // `current` has the new version then
            }

            let row = try #require(try Document.find(key, in: db))
            #expect(row.title == "mine" && row.version == 2)
            #expect(row.created != nil && row.changed != nil)
        }
    }

    @Test func whichRowAndWhichColumns() async throws {
        try await store().write { db in
            var contact = Contact(name: "Ada", email: "ada@example.org")
            let key = try Contact.insert(contact, in: db)
            try Price.insert(Price(shop: "a", article: "x", cents: 5), in: db)
            let prices = [Price(shop: "a", article: "x"), Price(shop: "a", article: "y", cents: 7)]
            let feed = #"{"id": 1, "email": null, "phone": "030"}"#
            contact.name = "Countess"

            try Price.upsert(contentsOf: prices, .by(\.shop, \.article, nils: .keep), in: db)
            try Contact.upsert(contact, .by(\.email, only: { [$0.name, $0.phone] }), in: db)
            let updated = try Contact.upsert(contact, .matching(\.name, \.age, several: .updateAll), in: db)
            try Contact.save(&contact, .by(\.email), in: db)  // the variable gets the key of the row
            try Contact.upsert(json: feed, .key(nils: .keep), in: db)

            #expect(try Price.all(in: db).map(\.cents) == [5, 7])
            #expect(updated == Upserted(.updated, key) && contact.id == key)
            contact.phone = "030"
            #expect(try Contact.find(key, in: db) == contact)
        }
    }

    @Test func returnedRows() async throws {
        try await store().write { db in
            var contact = Contact(name: "Ada", email: "ada@example.org")
            let contacts = [Contact(name: "Countess", email: "ada@example.org"), Contact(name: "Bo", email: "bo")]

            let key = try Contact.insert(contact, in: db)
            let stored = try Contact.stored(key, as: Contact.self, in: db)
            let rows = try Contact.upsert(contentsOf: contacts, .by(\.email, nils: .keep), in: db)
            let all = try Contact.stored(rows.map(\.key), as: Contact.self, in: db)  // in the order of the keys

            #expect(stored.id == 1 && stored.name == "Ada")
            #expect(all.map(\.id) == [1, 2] && all.map(\.name) == ["Countess", "Bo"])
            contact.email = "countess@example.org"

            try Contact.save(&contact, in: db)
            try Contact.reload(&contact, in: db)  // contact is as its row now

            #expect(try Contact.find(3, in: db)?.email == contact.email && contact.id == 3)
        }
    }
}
