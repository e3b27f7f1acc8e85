#if Macros
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of «Tables without boilerplate»")
struct TablesWithoutBoilerplateExamples {
    @Table("contact", in: "addressbook.sqlite")
    struct Contact: Equatable {
        var id: Int64?  // the primary key, filled in by an insert
        var name: String
        @Column("e-mail", unique: true) var email: String
        var phone: String?
        @Ignored var isSelected = false

        static var indexes: [TableIndex] { [TableIndex(on: columns.name)] }
    }

    @Table("archive", of: Contact.self)
    enum ArchivedContact {}

    @Record
    struct NameCard {
        var name: String
        @Column("e-mail") var email: String
    }

    @Test func aStructIsATableAndItsRecord() {
        #expect(Contact.schema.columns.map(\.name) == ["id", "name", "e-mail", "phone"])
        #expect(Contact.schema.indexes.map(\.columns) == [["name"]])
        #expect(Contact.databaseName == "addressbook.sqlite")
    }

    @Test func oneRecordInSeveralTablesAndSeveralRecordsOfOne() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema, ArchivedContact.schema]).store
        let contact = Contact(name: "Ada", email: "ada@example.org", isSelected: true)
        try await store.table(Contact.self).insert(contact)

        try await store.write { db in try ArchivedContact.insert(contact, in: db) }
        let cards = try await store.read { db in
            try Contact.where { $0.phone == nil }.fetch(as: NameCard.self, db)
        }

        #expect(cards.map(\.email) == ["ada@example.org"])
        let archived = try await store.table(ArchivedContact.self).all()
        #expect(archived == [Contact(id: 1, name: "Ada", email: "ada@example.org")])
    }
}
#endif
