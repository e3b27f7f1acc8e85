import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Dictionaries and JSON\"")
struct DictionariesAndJSONExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var createdAt: Date
    }

    enum Feed {
        @Table("contact")
        struct Contact: Equatable {
            var id: Int64?
            @Column(unique: true) var name: String
            var createdAt: Date
            var city: String?
        }
    }

    enum Book {
        @Table("contact")
        struct Contact: Codable, Equatable {
            var id: Int64?
            var name: String
            @HasMany var phones: [Phone] = []

            static let relations: Relations<Contact>? = Relations()
                .hasMany(\.$phones, by: \.contact, orphans: .delete)
        }

        @Table("phone")
        struct Phone: Codable, Equatable {
            var id: Int64?
            var number: String
            @Column(references: Reference("contact")) var contact: Int64 = 0
            @BelongsTo var owner: Contact? = nil

            static let relations: Relations<Phone>? = Relations().belongsTo(\.$owner, by: \.contact)
        }
    }

    private let ada: Contact

    init() throws {
        ada = Contact(id: 42, name: "Ada", createdAt: try Date("2026-11-21T20:15:00Z", strategy: .iso8601))
    }

    @Test func aRecordBecomesTextAndComesBack() throws {
        let contact = ada
        let list = try Contact.json(of: [ada, ada])

        let text = try contact.json()  // {"createdAt":"2026-11-21T20:15:00Z","id":42,"name":"Ada",…}
        let copy = try Contact(json: text)
        let all = try Contact.records(json: list)  // an array: every record, or an error and none

        let values = try contact.dictionary()  // ["id": 42, "name": "Ada", …]
        let same = try Contact(dictionary: values)

        #expect(text == #"{"createdAt":"2026-11-21T20:15:00Z","id":42,"name":"Ada"}"#)
        #expect(values["id"] == .integer(42) && values["name"] == .text("Ada") && values.count == 3)
        #expect(copy == contact && same == contact && all == [contact, contact])
        let broken = list.replacing("\"id\":42", with: "\"id\":\"x\"")
        let error = #expect(throws: StrongroomError.self) { try Contact.records(json: broken) }
        #expect(error?.code == .typeMismatch && error?.mismatch?.column == "id")
    }

    @Test func aPatchChangesWhatItHolds() throws {
        var contact = ada

        try contact.apply(json: #"{"name": "Grace"}"#)

        #expect(contact == Contact(id: 42, name: "Grace", createdAt: ada.createdAt))
    }

    @Test func aFeedWritesWhatItMentions() async throws {
        typealias Contact = Feed.Contact
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(Contact(name: "Ada", createdAt: ada.createdAt), in: db)

            let feed = #"[{"name": "Ada", "city": "Turin"}, {"name": "Grace", "createdAt": "2026-11-21T20:15:00Z"}]"#
            let done = try Contact.upsert(json: feed, .by(\.name), in: db)  // [Upserted<Int64>]

            #expect(done == [Upserted(.updated, 1), Upserted(.inserted, 2)])
            let all = [
                Contact(id: 1, name: "Ada", createdAt: ada.createdAt, city: "Turin"),
                Contact(id: 2, name: "Grace", createdAt: ada.createdAt),
            ]
            #expect(try Contact.all(in: db) == all)
        }
    }

    @Test func `A document of several tables is written and read by Foundation's coders`() async throws {
        typealias Contact = Book.Contact
        let from = try await TemporaryStore(tables: [Contact.schema, Book.Phone.schema]).store
        let to = try await TemporaryStore(tables: [Contact.schema, Book.Phone.schema]).store
        let numbers = ["ada": ["1", "2"], "grace": []]
        try await from.write { db in
            for (name, phones) in numbers.sorted(by: { $0.key < $1.key }) {
                var contact = Contact(name: name, phones: phones.map { Book.Phone(number: $0) })
                try Contact.save(&contact, cascading: true, in: db)
            }
        }

        struct Document: Codable {
            var contacts: [Contact]
        }

        let (data, written) = try await from.read { db in
            var contacts = try Contact.all(in: db)
            try Contact.load(\.$phones, of: &contacts, in: db)
            let data = try JSONEncoder().encode(Document(contacts: contacts))
            return (data, contacts)
        }
        let read = try await to.write { db in
            var document = try JSONDecoder().decode(Document.self, from: data)
            try Contact.save(contentsOf: &document.contacts, cascading: true, in: db)
            var contacts = try Contact.all(in: db)
            try Contact.load(\.$phones, of: &contacts, in: db)
            return contacts
        }

        #expect(read == written && read.map(\.phones.count) == [2, 0])
        let short = try JSONDecoder().decode(Contact.self, from: Data(#"{"id":1,"name":"ada"}"#.utf8))
        #expect(short.phones.isEmpty && !short.$phones.isLoaded)
        let phone = try JSONDecoder().decode(Book.Phone.self, from: Data(#"{"number":"1","contact":1}"#.utf8))
        #expect(phone.owner == nil)
    }

    @Test func howKeysAndDatesAreWritten() throws {
        let text = #"{"identifier": 42, "name": "Ada", "created_at": \#(ada.createdAt.timeIntervalSince1970), "x": 1}"#

        let coding = RecordCoding(
            keys: .snakeCase.renaming(["id": "identifier"]), dates: .form(.since1970(.seconds)), unknownKeys: .ignored)
        let contact = try Contact(json: text, coding)

        #expect(contact == ada)
        let error = #expect(throws: StrongroomError.self) { try Contact(json: text) }
        #expect(error?.code == .notARecord)
    }
}
