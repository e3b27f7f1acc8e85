#if Macros
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"How do I …\" that stand in no other article")
struct HowDoIExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var calls: Int = 0
        var isActive: Bool = true
    }

    @Table("ticket")
    struct Ticket {
        @Column(autoincrement: true) var id: Int64?
        var text: String
    }

    /// The same table as a later version of the program declares it.
    enum Later {
        @Table("contact")
        struct Contact: Equatable {
            var id: Int64?
            @Column(previously: "name") var fullName: String
            var city: String = "unknown"
        }
    }

    private struct AddressBook: Configuration {
        static let target = "addressbook"

        let directory: TemporaryDirectory
        let chain: KeyChain

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) -> KeyChain { chain }
        func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Contact.schema]) }
    }

    /// A number that is shown somewhere.
    private final class Badge: Sendable {
        let shown: AsyncStream<Int>
        private let continuation: AsyncStream<Int>.Continuation
        init() { (shown, continuation) = AsyncStream.makeStream() }
        func show(_ count: Int) { continuation.yield(count) }
    }

    enum Friends {
        @Table("contact")
        struct Contact {
            var id: Int64?
            var name: String
            @Column("e-mail", unique: true) var email: String
            var phone: String?
            var calls: Int = 0
        }
    }

    @Test func severalWritesAreOneTransaction() async throws {
        typealias Contact = Friends.Contact
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let contact = Contact(name: "A1", email: "1@example.org", phone: "030")
        let manyContacts = (2...50).map { Contact(name: "A\($0)", email: "\($0)@example.org", phone: "030", calls: $0) }
        let fromTheServer = Contact(name: "A2", email: "2@example.org", calls: 7)

        try await store.write { db in  // one transaction; an error undoes all of it
            try Contact.insert(contact, in: db)
            try Contact.insert(contentsOf: manyContacts, in: db)
            try Contact.upsert(fromTheServer, .by(\.email, nils: .keep), in: db)
            try Contact.where { $0.calls == 0 }.update(in: db) { [$0.phone.set(nil)] }
        }

        let updated = try await store.table(Contact.self).find(2)
        #expect(updated?.calls == 7 && updated?.phone == "030")
        #expect(try await store.table(Contact.self).find(1)?.phone == nil)
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    @Test func openingInCodeThatIsNotAsync() throws {
        let stores = try Stores(Place(tables: Contact.schema))

        let store = try stores.open("addressbook.sqlite")
        let count = try store.read { db in try Contact.count(in: db) }

        #expect(count == 0)
        try store.close()
    }

    @Test func reportsAndMaintenance() async throws {
        let store = try await Stores(Place(tables: Contact.schema)).open("addressbook.sqlite")

        print(store.opening)

        let numbers = store.statistics
        print("\(numbers.writes) writes in \(numbers.commits) commits")

        try await store.optimize()  // statistics for the query planner, for example once a day
        try await store.vacuum()  // returns free pages to the file system

        #expect(printed.lines.count == 2)
        #expect(printed.lines.first?.hasPrefix("made with ") == true)
        #expect(printed.lines.last?.hasSuffix(" commits") == true)
        try await store.close()
    }

    @Test func aRecordIsInsertedAndItsKeyReturned() async throws {
        let store = try await TemporaryStore(Contact.self).store
        let contact = Contact(name: "Ada", calls: 1)

        let key = try await store.write { try Contact.insert(contact, in: $0) }

        #expect(key == 1)
    }

    @Test func aPartIsRolledBack() async throws {
        let store = try await TemporaryStore(Contact.self).store
        try await store.write { db in try Contact.insert(contentsOf: (1...101).map { Contact(name: "\($0)") }, in: db) }
        let contact = Contact(name: "Ada", calls: 1)

        try await store.write { db in
            try Contact.insert(contact, in: db)
            try db.savepoint { db in
                let count = try Contact.where { $0.calls == 0 }.delete(in: db)
                if count > 100 { try db.rollBack() }
            }
        }

        #expect(try await store.table(Contact.self).count() == 102)
    }

    @Test func conditionsAndSingleRows() async throws {
        let store = try await TemporaryStore(Contact.self).store
        try await store.write { db in
            try Contact.insert(
                contentsOf: [
                    Contact(name: "Ada", calls: 5), Contact(name: "Bob", calls: 5, isActive: false),
                    Contact(name: "Cleo"),
                ], in: db)
        }
        try await store.read { db in
            let busy = try Contact.where { $0.isActive && $0.calls > 3 }.fetch(in: db)

            let names = ["Ada", "Bob"]
            let some = try Contact.where { $0.name.isIn(names) }.fetch(in: db)

            let ada = try Contact.where { $0.name.lowercased() == "ada" }.first(in: db)

            let matches = try Contact.where { $0.name.contains("le") }.fetch(in: db)

            let isKnown = try Contact.where { $0.name == "Ada" }.exists(in: db)
            let number = try Contact.where { $0.calls == 0 }.count(in: db)

            let newest = try Contact.latest(in: db)  // the record with the highest key

            #expect(busy.map(\.name) == ["Ada"] && some.map(\.name) == ["Ada", "Bob"])
            #expect(ada?.name == "Ada" && matches.map(\.name) == ["Cleo"])
            #expect(isKnown && number == 1 && newest?.name == "Cleo")
        }
    }

    @Test func aKeyIsNotUsedAgain() async throws {
        try await TemporaryStore(Ticket.self).store.write { db in
            let first = try Ticket.insert(Ticket(text: "a"), in: db)
            try Ticket.delete(first, in: db)
            let second = try Ticket.insert(Ticket(text: "b"), in: db)
            #expect(first == 1 && second == 2)
        }
    }

    @Test func aPropertyIsRenamedAndAnotherOneAdded() async throws {
        var place = try Place(tables: Contact.schema)
        let before = try await Stores(place).open("addressbook.sqlite")
        try await before.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
        try await before.close()
        place.migrator = .automatic(tables: [Later.Contact.schema])

        let store = try await Stores(place).open("addressbook.sqlite")
        #expect(try await store.table(Later.Contact.self).all() == [Later.Contact(id: 1, fullName: "Ada")])
        try await store.close()
    }

    @Test func aPlaintextFileIsEncrypted() async throws {
        let directory = try TemporaryDirectory()
        let plain = try await Stores(AddressBook(directory: directory, chain: .plaintext)).open("addressbook.sqlite")
        try await plain.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
        try await plain.close()
        let secret = "a long passphrase"

        let chain = try KeyChain(.plaintext, .passphrase(secret))

        let store = try await Stores(AddressBook(directory: directory, chain: chain)).open("addressbook.sqlite")
        #expect(store.opening.rotation?.isRotated == true && store.opening.key?.isCurrent == true)
        #expect(try await store.table(Contact.self).count() == 1)
        try await store.close()
    }

    @Test func observingWithoutATask() async throws {
        let store = try await TemporaryStore(Contact.self).store
        let badge = Badge()

        let observation = store.observe({ db in try Contact.count(in: db) }) { result in
            if case .success(let count) = result { badge.show(count) }
        }

        var shown = badge.shown.makeAsyncIterator()
        #expect(await shown.next() == 0)
        try await store.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
        #expect(await shown.next() == 1)
        observation.cancel()
    }

    @Test func settingsForSeveralProcesses() {
        let patient = StoreSettings(busyTimeout: .seconds(20), openTimeout: .seconds(60))

        let polled = StoreSettings(foreignChanges: .polled(every: .seconds(1)))
        let own = StoreSettings(foreignChanges: .ignored)

        #expect(patient.busyTimeout == .seconds(20) && patient.openTimeout == .seconds(60))
        #expect(polled.foreignChanges == .polled(every: .seconds(1)) && own.foreignChanges == .ignored)
    }
}
#endif
