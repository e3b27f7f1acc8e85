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
