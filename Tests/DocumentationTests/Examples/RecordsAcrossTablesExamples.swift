import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Records across tables\"")
struct RecordsAcrossTablesExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var phone: String?
        var city: String?
    }

    @Table("order")
    struct Order {
        var id: Int64?
        var contactID: Int64
        var number: String
        var total: Int
    }

    enum Archive: Table {
        typealias RecordType = Contact
        static let columns = Contact.columns
        static let schema = Contact.schema.named("archive")
        static func key(of contact: Contact) -> Int64? { contact.id }
        static func setKey(_ key: Int64, of contact: inout Contact) { contact.id = key }
    }

    @Record
    struct NameCard: Equatable {
        var name: String
        var phone: String?
    }

    @Record
    struct MailAddress: Equatable {
        var name: String
        var city: String?
    }

    @Record
    struct StatementLine: Equatable {
        var name: String
        var number: String
        var cents: Int
    }

    private let ada = Contact(id: 7, name: "Ada", phone: "030", city: "Köln")
    private let bob = Contact(id: 8, name: "Bob")

    private func store() async throws -> Store {
        let store = try await TemporaryStore(tables: [Contact.schema, Archive.schema, Order.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: [ada, bob], in: db) }
        return store
    }

    @Test func oneRecordTypeInTwoTables() async throws {
        try await store().write { [contact = ada] db in
            let key: Int64 = 7

            try Archive.insert(contact, in: db)
            try Contact.delete(key, in: db)

            #expect(try Archive.all(in: db) == [contact])
            #expect(try Contact.all(in: db).map(\.name) == ["Bob"])
        }
    }

    @Test func oneTableAsSeveralRecordTypes() async throws {
        try await store().read { db in
            let cards = try Contact.where { $0.phone != nil }.fetch(as: NameCard.self, in: db)
            let addresses = try Contact.query.fetch(as: MailAddress.self, in: db)

            #expect(cards == [NameCard(name: "Ada", phone: "030")])
            #expect(addresses == [MailAddress(name: "Ada", city: "Köln"), MailAddress(name: "Bob")])
        }
    }

    @Test func oneRecordFromTwoTables() async throws {
        try await store().write { db in
            try Order.insert(Order(contactID: 7, number: "A-1", total: 5), in: db)

            let lines = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
                .fetch(as: StatementLine.self, in: db) { contact, order in
                    [contact.name, order.number, order.total * 100]
                }

            #expect(lines == [StatementLine(name: "Ada", number: "A-1", cents: 500)])
        }
    }

    @Test func valuesOfOneRecordInAnother() throws {
        var contact = bob
        let imported = Contact(name: "Robert", phone: "031")

        try contact.merge(imported)  // fills what is nil
        try contact.merge(imported, overriding: true)  // the import has precedence

        #expect(contact == Contact(id: 8, name: "Robert", phone: "031"))
        var filled = bob
        try filled.merge(imported)
        #expect(filled == Contact(id: 8, name: "Bob", phone: "031"))
    }
}
