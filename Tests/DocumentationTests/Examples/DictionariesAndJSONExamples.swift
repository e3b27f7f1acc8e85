import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The documents of \"Dictionaries and JSON\"")
struct DictionariesAndJSONExamples {
    @Table("contact")
    struct Contact: Codable, Equatable {
        var id: Int64?
        var name: String
        @HasMany var phones: [Phone] = []

        static let relations: Relations<Contact>? = Relations().hasMany(\.$phones, by: \.contact, orphans: .delete)
    }

    @Table("phone")
    struct Phone: Codable, Equatable {
        var id: Int64?
        var number: String
        @Column(references: Reference("contact")) var contact: Int64 = 0
        @BelongsTo var owner: Contact? = nil

        static let relations: Relations<Phone>? = Relations().belongsTo(\.$owner, by: \.contact)
    }

    @Test func `a document of several tables is written and read by Foundation's coders`() async throws {
        let from = try await TemporaryStore(tables: [Contact.schema, Phone.schema]).store
        let to = try await TemporaryStore(tables: [Contact.schema, Phone.schema]).store
        let numbers = ["ada": ["1", "2"], "grace": []]
        try await from.write { db in
            for (name, phones) in numbers.sorted(by: { $0.key < $1.key }) {
                var contact = Contact(name: name, phones: phones.map { Phone(number: $0) })
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
        let phone = try JSONDecoder().decode(Phone.self, from: Data(#"{"number":"1","contact":1}"#.utf8))
        #expect(phone.owner == nil)
    }
}
