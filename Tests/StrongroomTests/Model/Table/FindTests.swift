import Strongroom
import StrongroomTesting
import Testing

struct FindTests {
    @Test func recordsAreFoundInTheOrderOfTheirKeysInTheList() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let contacts = store.table(Contact.self)
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(10), in: db) }
        #expect(try await contacts.find([9, 2, 5]).map(\.id) == [9, 2, 5])
        #expect(try await contacts.find([4, 99, 1, -1]).map(\.id) == [4, 1])
        #expect(try await contacts.find([3, 3, 1, 3, 1]).map(\.id) == [3, 1])
        #expect(try await contacts.find([] as [Int64]).isEmpty)
        #expect(try await contacts.find(2)?.name == "Contact 2")
        #expect(try await contacts.find(99) == nil)
        #expect(try await contacts.all().count == 10)
        #expect(try await contacts.fetch(Contact.where { $0.phone == nil }.limit(1)).map(\.id) == [1])
    }

    @Test func moreKeysThanAStatementHasParametersAreFound() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let contacts = store.table(Contact.self)
        let keys = try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3_000), in: db) }
        let found = try await contacts.find(keys.reversed() + [9_999])
        #expect(found.map(\.id) == keys.reversed())
        #expect(try await store.write { db in try Contact.delete(keys: keys + keys + [9_999], in: db) } == 3_000)
        #expect(try await contacts.count() == 0)
    }

    /// Swift takes the two keys for equal, the engine does not.
    @Test func keysThatDifferOnlyInCompositionAreTwoKeys() async throws {
        let store = try await TemporaryStore(tables: [Named.schema]).store
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try await store.write { db in
            try Named.insert(contentsOf: [Named(composed, 1), Named(decomposed, 2)], in: db)
            #expect(try Named.find(composed, in: db)?.size == 1)
            #expect(try Named.find(decomposed, in: db)?.size == 2)
            #expect(try Named.find([decomposed, composed, composed], in: db).map(\.size) == [2, 1])
            try Named.update(Named(composed, 3), in: db)
            #expect(try Named.find([composed, decomposed], in: db).map(\.size) == [3, 2])
            #expect(try Named.delete(keys: [composed], in: db) == 1)
            #expect(try Named.all(in: db).map(\.size) == [2])
        }
    }

    @Test func allComeInTheOrderOfTheKey() async throws {
        try await TemporaryStore(tables: [Contact.schema, Named.schema]).store.write { db in
            #expect(try Contact.all(in: db).isEmpty)
            #expect(try Contact.count(in: db) == 0)
            for key: Int64 in [5, -3, 9, 0] { try Contact.insert(Contact(id: key, email: "\(key)"), in: db) }
            #expect(try Contact.all(in: db).map(\.id) == [-3, 0, 5, 9])
            try Named.insert(contentsOf: ["b", "", "a", "é", "B", "a\0"].map { Named($0) }, in: db)
            #expect(try Named.all(in: db).map(\.name) == ["", "B", "a", "a\0", "b", "é"])
            #expect(try Named.count(in: db) == 6)
        }
    }

    /// A row that does not fit is an error, not a record that is left out.
    @Test func aRowThatDoesNotFitIsAnError() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            try db.execute("UPDATE contact SET photo = 'text' WHERE id = 2")
            for work in [0, 1, 2, 3] {
                try expectFailure(.typeMismatch, saying: " contains text where bytes are expected") {
                    switch work {
                    case 0: _ = try Contact.all(in: db)
                    case 1: _ = try Contact.find(2, in: db)
                    case 2: _ = try Contact.find([1, 2, 3], in: db)
                    default: _ = try Contact.where { $0.id >= 1 }.fetch(in: db)
                    }
                }
            }
            #expect(try Contact.count(in: db) == 3)
        }
    }
}

/// A key with a type of its own, made by the engine.
private struct TicketID: RawRepresentable, ColumnValue, TableKey {
    let rawValue: Int64
    static func generated(rowID: Int64) -> TicketID? { TicketID(rawValue: rowID) }
}

@Table("ticket")
private struct Ticket: Equatable {
    @Column(primaryKey: true) var id: TicketID?
    @Column(unique: true) var seat: String
}

@Table("blobbed")
private struct Blobbed: Equatable {
    @Column(primaryKey: true) var hash: [UInt8]
    var size: Int

    init(_ hash: [UInt8], _ size: Int) { (self.hash, self.size) = (hash, size) }
}

struct KeyTypeTests {
    @Test func aKeyCanHaveATypeOfItsOwn() async throws {
        try await TemporaryStore(tables: [Ticket.schema]).store.write { db in
            var ticket = Ticket(seat: "1A")
            try Ticket.save(&ticket, .insert, in: db)
            let key = try #require(ticket.id)
            #expect(key.rawValue == 1)
            #expect(try Ticket.find(key, in: db) == ticket)
            #expect(try Ticket.where { $0.id == key }.count(in: db) == 1)
            let result = try Ticket.upsert(Ticket(seat: "1A"), .by(\.seat), in: db)
            #expect(result.key == key)
            #expect(try Ticket.delete(key, in: db))
        }
    }

    @Test func aKeyCanBeBytes() async throws {
        try await TemporaryStore(tables: [Blobbed.schema]).store.write { db in
            let keys: [[UInt8]] = [[], [0], [255, 0], [0, 0]]
            let records = keys.enumerated().map { Blobbed($0.element, $0.offset) }
            #expect(try Blobbed.insert(contentsOf: records, in: db) == keys)
            #expect(try Blobbed.find(keys, in: db) == records)
            #expect(try Blobbed.all(in: db).map(\.hash) == [[], [0], [0, 0], [255, 0]])
            try Blobbed.update(Blobbed([], 9), in: db)
            #expect(try Blobbed.find([] as [UInt8], in: db)?.size == 9)
            #expect(try Blobbed.upsert(Blobbed([1], 1), in: db).outcome == .inserted)
            #expect(try Blobbed.delete([0], in: db))
        }
    }
}

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
            #expect(
                try query.fetch(as: Address.self, in: db).first
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

@Suite("Keys and unique columns of several columns")
struct CompositeKeyTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Price.schema])
        try await temporary.store.write { db in
            try Price.insert(Price(shop: "a", article: 1, label: "x", edition: 1, cents: 10), in: db)
            try Price.insert(Price(shop: "a", article: 2, label: "x", edition: 2, cents: 20), in: db)
        }
    }

    private static func key(_ shop: String, _ article: Int64) -> Price.Key { Price.Key(shop: shop, article: article) }

    @Test func findUpdateAndDelete() async throws {
        try await temporary.store.write { db in
            #expect(try Price.find(Self.key("a", 2), in: db)?.cents == 20)
            #expect(try Price.find(Self.key("b", 2), in: db) == nil)
            let some = [Self.key("a", 2), Self.key("z", 1), Self.key("a", 1), Self.key("a", 2)]
            #expect(try Price.find(some, in: db).map(\.cents) == [20, 10])
            try Price.update(Price(shop: "a", article: 2, label: "y", edition: 3, cents: nil), in: db)
            #expect(try Price.find(Self.key("a", 2), in: db)?.label == "y")
            #expect(try Price.update(Self.key("a", 2), in: db) { [$0.cents.set(5)] })
            #expect(try Price.update(Self.key("q", 2), in: db) { [$0.cents.set(5)] } == false)
            for key in Set(some) { try Price.update(key, in: db) { [$0.cents.set($0.cents + 1)] } }
            #expect(try Price.all(in: db).map(\.cents) == [11, 6])
            #expect(try Price.order { $0.cents.descending }.limit(1).delete(in: db) == 1)
            #expect(try Price.delete(Self.key("a", 2), in: db))
            #expect(try Price.count(in: db) == 0)
        }
    }

    @Test func noPartMayBeMissing() async throws {
        try await temporary.store.write { db in
            try expectFailure(.constraint) { try db.execute("INSERT INTO price VALUES (NULL, 1, 'l', 1, 1)") }
            try expectFailure(.constraint) { try db.execute("INSERT INTO price VALUES ('b', NULL, 'l', 1, 1)") }
        }
    }

    @Test("Upsert by the key")
    func byTheKey() async throws {
        try await temporary.store.write { db in
            let there = try Price.upsert(
                Price(shop: "a", article: 1, label: "x", edition: 1, cents: nil), .key(nils: .keep), in: db)
            #expect(there.outcome == .updated)
            #expect(try Price.find(Self.key("a", 1), in: db)?.cents == 10)
            let new = try Price.upsert(
                Price(shop: "b", article: 1, label: nil, edition: 9, cents: 7), .by(\.shop, \.article), in: db)
            #expect(new.outcome == .inserted)
            #expect(new.key == Self.key("b", 1))
        }
    }

    @Test("Upsert by two unique columns keeps the row's key")
    func byTwoUniqueColumns() async throws {
        try await temporary.store.write { db in
            let found = try Price.upsert(
                Price(shop: "other", article: 77, label: "x", edition: 2, cents: 21), .by(\.label, \.edition), in: db)
            #expect(found == Upserted(.updated, Self.key("a", 2)))
            #expect(try Price.find(Self.key("a", 2), in: db)?.cents == 21)
            // The row with the key, where the unique columns find none.
            let byKey = try Price.upsert(
                Price(shop: "a", article: 1, label: "new", edition: 5, cents: nil),
                .by(\.label, \.edition, nils: .keep), in: db)
            #expect(byKey.outcome == .updated)
            #expect(
                try Price.find(Self.key("a", 1), in: db)
                    == Price(shop: "a", article: 1, label: "new", edition: 5, cents: 10))
            try expectFailure(.missingKey, saying: "label") {
                try Price.upsert(
                    Price(shop: "c", article: 1, label: nil, edition: 5, cents: 1), .by(\.label, \.edition), in: db)
            }
            try expectFailure(.notDeclared) {
                try Price.upsert(Price(shop: "c", article: 1, label: "l", edition: 5, cents: 1), .by(\.label), in: db)
            }
        }
    }

    @Test("Upsert of a list, of which one finds the row of another")
    func aList() async throws {
        try await temporary.store.write { db in
            let prices = [
                Price(shop: "n", article: 1, label: "n", edition: 1, cents: 1),
                Price(shop: "m", article: 1, label: "n", edition: 1, cents: 2),
                Price(shop: "a", article: 1, label: "x", edition: 1, cents: 3),
            ]
            let done = try Price.upsert(contentsOf: prices, .by(\.label, \.edition), in: db)
            #expect(done.map(\.outcome) == [.inserted, .updated, .updated])
            #expect(done.map(\.key) == [Self.key("n", 1), Self.key("n", 1), Self.key("a", 1)])
            #expect(try Price.find(Self.key("n", 1), in: db)?.cents == 2)
            // One that fails undoes all.
            let bad = [
                Price(shop: "p", article: 1, label: "p", edition: 1, cents: 1),
                Price(shop: "q", article: 1, label: nil, edition: 1, cents: 1),
            ]
            try expectFailure(.missingKey) { try Price.upsert(contentsOf: bad, .by(\.label, \.edition), in: db) }
            #expect(try Price.count(in: db) == 3)
        }
    }
}
