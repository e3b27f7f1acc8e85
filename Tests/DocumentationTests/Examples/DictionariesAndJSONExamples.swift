#if Macros
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
#endif
