#if Macros
import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("The examples of README")
struct ReadmeExamples {
    @Table("contact", in: "addressbook.sqlite")
    struct Contact {
        var id: Int64?
        var name: String
        @Column("e-mail", unique: true) var email: String
        var phone: String?
        var calls: Int = 0  // also the column's default
        @Column(as: .json) var tags: [String]
    }

    @Table("call", in: "addressbook.sqlite")
    struct Call {
        var id: Int64?
        var contact: Int64
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    private static func contact(_ number: Int, calls: Int = 0) -> Contact {
        Contact(name: "A\(number)", email: "\(number)@example.org", phone: "030", calls: calls, tags: ["a", "b"])
    }

    @Test func theFirstProgramKeepsANoteInAnEncryptedFile() async throws {
        let home = try TemporaryDirectory()
        for keys in ["an old secret", "an old secret\nthe current secret", "the current secret"] {
            let outcome = try await ExampleProgram("ReadmeProgram").run(home: home, variables: ["NOTES_KEYS": keys])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.lines.first == "Call Bob")
        }
        #if os(Linux)
        let file = try Data(contentsOf: home.url.appending(path: "data/ReadmeProgram/notes_alice.sqlite"))
        #expect(file.count > 1_000 && file.range(of: Data("Call Bob".utf8)) == nil)
        #endif
    }

    @Test func aStructIsATableAndWhatIsStoredInIt() async throws {
        #expect(Contact.schema.columns.map(\.name) == ["id", "name", "e-mail", "phone", "calls", "tags"])
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let id = try await store.table(Contact.self).insert(Self.contact(1))
        #expect(try await store.table(Contact.self).find(id)?.tags == ["a", "b"])
    }

    @Test func recordsAreWrittenAndAskedFor() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema, Call.schema]).store
        let contact = Self.contact(1)
        let manyContacts = (2...50).map { Self.contact($0, calls: $0) }
        let fromTheServer = Contact(name: "A2", email: "2@example.org", calls: 7, tags: [])

        try await store.write { db in  // one transaction; an error undoes all of it
            try Contact.insert(contact, in: db)
            try Contact.insert(contentsOf: manyContacts, in: db)
            try Contact.upsert(fromTheServer, by: \.email, nils: .keep, in: db)
            try Contact.where { $0.calls == 0 }.update(in: db) { [$0.phone.set(nil)] }
        }
        let page = try await store.read { db in  // a snapshot
            try Contact.where { $0.name.hasPrefix("A") && $0.calls > 3 }
                .order { $0.name.ascending }.limit(20).fetch(in: db)
        }
        let most = try await store.read { db in
            try Contact.group { $0.phone }.select { ($0.phone, RowCount(), $0.calls.max()) }.fetch(in: db)
        }
        let pairs = try await store.read { db in
            try Contact.join(Call.self) { $0.id == $1.contact }.fetch(in: db)  // [(Contact, Call)]
        }
        let found = try await store.table(Contact.self).find(42)

        #expect(page.map(\.name).prefix(3) == ["A10", "A11", "A12"])
        #expect(page.count == 20)
        #expect(most.map(\.0) == [nil, "030"] && most.map(\.1) == [1, 49] && most.map(\.2) == [0, 50])
        #expect(pairs.isEmpty)
        #expect(found?.name == "A42")
        let updated = try await store.table(Contact.self).find(2)
        #expect(updated?.calls == 7 && updated?.phone == "030")
        try await store.table(Call.self).insert(Call(contact: 42))
        let calls = try await store.read { db in
            try Contact.join(Call.self) { contact, call in contact.id == call.contact }.fetch(in: db)
        }
        #expect(calls.map(\.0.name) == ["A42"] && calls.map(\.1.id) == [1])
    }

    @Test func conditionsMayBeTexts() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.table(Contact.self).insert(Self.contact(1))
        let prefix = "a"
        let found = try await store.read { db in
            try Contact.where("name BEGINSWITH[c] \(prefix) OR NOT email LIKE '*@example.org'").fetch(in: db)
        }
        #expect(found.map(\.name) == ["A1"])
    }

    @Test func aValueComesAgainAfterEachChange() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let task = Task {
            for try await count in store.values({ db in try Contact.count(in: db) }) {  // now, and after each change
                print("\(count) contacts")
            }
        }
        var lines = printed.stream.makeAsyncIterator()
        #expect(await lines.next() == "0 contacts")
        try await store.table(Contact.self).insert(Self.contact(1))
        #expect(await lines.next() == "1 contacts")
        task.cancel()
        _ = await task.result
    }

    @Test func aRotationTellsHowFarItHasCome() async throws {
        var place = try Place(tables: Contact.schema)
        try await Stores(place).open("addressbook.sqlite").close()
        place.keys.append(.random())
        place.settings.rotation = .manual
        let store = try await Stores(place).open("addressbook.sqlite")

        let report = try await store.rotate { print($0.phase, $0.done, $0.total) }  // reads and writes wait meanwhile

        #expect(report.isRotated && report.from == 0 && report.to == 1)
        #expect(printed.lines.count >= 2)
        #expect(try await store.table(Contact.self).count() == 0)
        try await store.close()
    }

    @Test func whereAStoreLiesCanBeAskedAndDamageBeSearchedFor() async throws {
        let place = try Place(tables: Contact.schema)
        let stores = try Stores(place)
        let store = try await stores.open("addressbook.sqlite")
        #expect(try await stores.diagnose("addressbook.sqlite").finding == .whole)
        #expect(try await store.verify().isWhole)
        try await store.close()
        let report = try await stores.salvage("addressbook.sqlite", to: place.directory.path("saved.sqlite"))
        #expect(report.isComplete)
    }
}
#endif
