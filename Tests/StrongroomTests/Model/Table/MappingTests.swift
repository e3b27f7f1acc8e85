import Strongroom
import StrongroomTesting
import Testing

/// Another table of contacts.
private enum Archive: Table {
    typealias RecordType = Contact

    static let columns = Contact.Columns()
    static let schema = TableSchema(
        "archive", columns.id, columns.name, columns.email, columns.phone, columns.score, columns.photo)
    static func key(of contact: Contact) -> Int64? { contact.id }
    static func setKey(_ key: Int64, of contact: inout Contact) { contact.id = key }
}

/// A part of a contact, in another order.
private struct Card: Table, Record, Equatable {
    var phone: String?
    var name: String
    var id: Int64?

    static let columns = Contact.Columns()
    static let schema = Contact.schema
    static let columnNames = ["phone", "name", "id"]
    static func key(of card: Card) -> Int64? { card.id }
    static func setKey(_ key: Int64, of card: inout Card) { card.id = key }

    init(id: Int64? = nil, name: String, phone: String?) {
        self.id = id
        self.name = name
        self.phone = phone
    }

    init(row: borrowing Row) throws {
        phone = try row[0]
        name = try row[1]
        id = try row[2]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(phone, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(id, at: 2)
    }
}

struct MappingTests {
    @Test("Records across tables: one record type stored in two tables")
    func oneRecordTypeIsStoredInTwoTables() async throws {
        try await TemporaryStore(tables: [Contact.schema, Archive.schema]).store.write { db in
            var contact = Contact(name: "live")
            try Contact.save(&contact, .insert, in: db)
            var old = Contact(name: "old")
            try Archive.insert(contentsOf: [Contact(email: "1"), Contact(email: "2")], in: db)
            try Archive.save(&old, .insert, in: db)
            #expect(old.id == 3)
            #expect(try Contact.all(in: db) == [contact])
            #expect(try Archive.find(3, in: db) == old)
            #expect(try Archive.where { $0.name == "old" }.fetch(in: db) == [old])
            old.name = "older"
            try Archive.update(old, in: db)
            #expect(try Archive.upsert(Contact(name: "oldest", email: old.email), .by(\.email), in: db).key == 3)
            #expect(try Contact.find(1, in: db)?.name == "live")
            try Contact.delete(1, in: db)
            #expect(try Archive.count(in: db) == 3)
            #expect(try Archive.truncate(in: db) == 3)
        }
    }

    /// Two more views of a contact, the second with its columns in another order.
    @Record
    struct Score: Equatable {
        var score: Double
    }

    @Record
    struct Address: Equatable {
        var email: String
        var id: Int64
        var name: String
    }

    @Test("Records across tables: one table read as three record types")
    func oneTableIsReadAsThreeRecordTypes() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            let query = Contact.where { $0.phone == nil }.order { $0.id.descending }
            let three = Card(id: 3, name: "Contact 3", phone: nil)
            #expect(try query.fetch(as: Card.self, in: db) == [three, Card(id: 1, name: "Contact 1", phone: nil)])
            #expect(try query.fetch(as: Score.self, in: db) == [Score(score: 0.75), Score(score: 0.25)])
            #expect(try query.fetch(as: Address.self, in: db).first
                    == Address(email: "contact3@example.org", id: 3, name: "Contact 3"))
            // A projection reads no other column: one that cannot be read does not matter.
            try db.execute("UPDATE contact SET photo = 'no bytes'")
            #expect(try query.fetch(as: Score.self, in: db).count == 2)
            try expectFailure(.typeMismatch) { try query.fetch(in: db) }
        }
    }

    @Test func equalRowsOfAProjectionCountOnceIfDistinct() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            try db.execute("UPDATE contact SET score = 1 WHERE id > 1")
            for query in [Contact.query, Contact.order { $0.score.ascending }, Contact.where { $0.id > 0 }] {
                #expect(try query.fetch(as: Score.self, in: db).count == 3)
                #expect(try query.distinct().fetch(as: Score.self, in: db).count == 2)
            }
        }
    }

    @Test func aPartialRecordWritesOnlyItsOwnColumns() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(2), in: db)
            var expected = try Contact.all(in: db)
            try Card.update(Card(id: 2, name: "new", phone: nil), in: db)
            expected[1].name = "new"
            expected[1].phone = nil
            #expect(try Contact.all(in: db) == expected)
            try Card.upsert(Card(id: 1, name: "newer", phone: nil), .key(nils: .keep), in: db)
            expected[0].name = "newer"
            #expect(try Contact.all(in: db) == expected)
            // The columns that it lacks must not be empty, and have no default.
            try expectFailure(.constraint) { try Card.insert(Card(name: "x", phone: nil), in: db) }
            try expectFailure(.sql, saying: "\"email\"") {
                try Card.upsert(Card(name: "x", phone: nil), .by(\.email), in: db)
            }
            try Card.delete(1, in: db)
            #expect(try Contact.all(in: db) == [expected[1]])
        }
    }
}

/// The reads of a store's table, each in a transaction of its own.
struct StoreTableTests {
    @Test func readsOfAStoresTableSeeWhatIsWritten() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let contacts = store.table(Contact.self)
        #expect(try await store.write { db in try Contact.insert(Contact(email: "1"), in: db) } == 1)
        #expect(
            try await store.write { db in
                try Contact.insert(contentsOf: [Contact(email: "2"), Contact(email: "3")], in: db)
            } == [2, 3])
        #expect(try await contacts.find(2) == Contact(id: 2, email: "2"))
        #expect(try await contacts.find([3, 1, 9]).map(\.id) == [3, 1])
        #expect(try await contacts.all().map(\.id) == [1, 2, 3])
        #expect(try await contacts.count() == 3)
        #expect(try await contacts.fetch(Contact.where { $0.email > "1" }.limit(1)).count == 1)
        try await store.write { db in try Contact.update(Contact(id: 2, name: "Bo", email: "2"), in: db) }
        let result = try await store.write { db in
            try Contact.upsert(Contact(name: "Cy", email: "3", phone: nil), .by(\.email, nils: .keep), in: db)
        }
        #expect(result.key == 3 && result.outcome == .updated)
        #expect(try await contacts.all().map(\.name) == ["Ada", "Bo", "Cy"])
        #expect(try await store.write { db in try Contact.delete(1, in: db) })
        #expect(try await !store.write { db in try Contact.delete(1, in: db) })
        #expect(try await store.write { db in try Contact.truncate(in: db) } == 2)
        #expect(try await contacts.all().isEmpty)
    }
}
