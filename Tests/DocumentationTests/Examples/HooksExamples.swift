import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Table("contact")
private struct Contact {
    var id: Int64?
    var name: String
    var changed: Date = .distantPast
    @Ignored var isGone = false

    init(name: String) { self.name = name }
}

extension Contact {
    static let hooks: RecordHooks<Contact>? = RecordHooks()
        .willSave { contact, db in contact.changed = .now }
        .deletesOnSave { contact in contact.isGone }
}

@Suite("The hooks of \"Reading and writing\"")
struct HooksExamples {
    @Test func theyChangeAndDelete() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            var contact = Contact(name: "Ada")
            try Contact.save(&contact, in: db)
            #expect(contact.changed > Date(timeIntervalSinceReferenceDate: 0))
            contact.isGone = true
            try Contact.save(&contact, in: db)
            #expect(try Contact.count(in: db) == 0)
        }
    }
}
