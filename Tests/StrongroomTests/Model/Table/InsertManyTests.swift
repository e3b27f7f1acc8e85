import Strongroom
import StrongroomTesting
import Testing

@Suite("Inserting lists")
struct InsertManyTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema, Price.schema])
    }

    @Test("gives the keys of the rows, for any length", arguments: [0, 1, 32, 33, 34, 65, 1_000])
    func anyLength(count: Int) async throws {
        let contacts = Contact.samples(count)
        try await temporary.store.write { db in
            try Contact.insert(Contact(id: 700, email: "first"), in: db)
            let keys = try Contact.insert(contentsOf: contacts, in: db)
            let expected: [Int64] = (0..<count).map { (index: Int) -> Int64 in Int64(701 + index) }
            #expect(keys == expected)
            let stored = try Contact.where { $0.id > 700 }.order { $0.id.ascending }.fetch(in: db)
            #expect(stored.map(\.email) == contacts.map(\.email))
            #expect(stored.map(\.phone) == contacts.map(\.phone))
            #expect(stored.map(\.id) == keys)
        }
    }

    @Test func keysThatAreGivenAndKeysThatAreMadeMayStandInOneList() async throws {
        var contacts = Contact.samples(100)
        for index in stride(from: 0, to: 100, by: 3) { contacts[index].id = Int64(10_000 - index) }
        try await temporary.store.write { [contacts] db in
            let keys = try Contact.insert(contentsOf: contacts, in: db)
            for (key, contact) in zip(keys, contacts) {
                #expect(try Contact.find(key, in: db)?.email == contact.email)
            }
        }
    }

    @Test func aTableWhoseHighestKeyIsTheHighestThereIs() async throws {
        let contacts = Contact.samples(40)
        try await temporary.store.write { db in
            try Contact.insert(Contact(id: .max, email: "last"), in: db)
            let keys = try Contact.insert(contentsOf: contacts, in: db)
            #expect(Set(keys).count == 40)
            for (key, contact) in zip(keys, contacts) {
                #expect(try Contact.find(key, in: db)?.email == contact.email)
            }
        }
    }

    @Test func oneThatFailsLeavesNoneBehindAndTellsWhy() async throws {
        try await temporary.store.write { db in
            var contacts = Contact.samples(100)
            contacts[70].email = contacts[3].email
            let error = try expectFailure(.constraint) { try Contact.insert(contentsOf: contacts, in: db) }
            #expect(error.constraint?.kind == .unique)
            #expect(error.constraint?.table == "contact")
            #expect(error.constraint?.columns == ["email"])
            #expect(try Contact.count(in: db) == 0)
            contacts[70].email = "own"
            contacts[71].score = .nan
            try expectFailure(.valueNotStorable) { try Contact.insert(contentsOf: contacts, in: db) }
            #expect(try Contact.count(in: db) == 0)
        }
    }

    @Test func aTriggerThatIgnoresAnInsertIsAnErrorAndNoStrangersKey() async throws {
        try await temporary.store.write { db in
            try Contact.insert(Contact(email: "stranger"), in: db)
            try db.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON contact WHEN NEW.name = 'Contact 50'
                BEGIN SELECT RAISE(IGNORE); END
                """)
            var contact = Contact(name: "Contact 50", email: "e")
            try expectFailure(.writeRefused, saying: "trigger") { try Contact.save(&contact, .insert, in: db) }
            #expect(contact.id == nil)
            try expectFailure(.writeRefused) { try Contact.insert(contentsOf: Contact.samples(60), in: db) }
            #expect(try Contact.count(in: db) == 1)
        }
    }

    @Test("Insert or ignore passes over a duplicate of this table, and nothing else")
    func insertOrIgnore() async throws {
        try await temporary.store.write { db in
            #expect(try Contact.insertOrIgnore(Contact(email: "a"), in: db) == 1)
            #expect(try Contact.insertOrIgnore(Contact(email: "a"), in: db) == nil)
            #expect(try Contact.insertOrIgnore(Contact(id: 1, email: "b"), in: db) == nil)
            try db.execute("CREATE TABLE audit (what TEXT UNIQUE)")
            try db.execute("INSERT INTO audit VALUES ('c')")
            try db.execute(
                "CREATE TRIGGER audited AFTER INSERT ON contact BEGIN INSERT INTO audit VALUES (NEW.email); END")
            try expectFailure(.constraint) { try Contact.insertOrIgnore(Contact(email: "c"), in: db) }
            #expect(try Contact.count(in: db) == 1)
        }
    }

    @Test("Insert of single values gives the row id")
    func singleValues() async throws {
        try await temporary.store.write { db in
            let key = try Contact.insert(in: db) {
                [$0.name.set("Bo"), $0.email.set("bo@example.org"), $0.photo.set([])]
            }
            #expect(
                try Contact.find(key, in: db)
                    == Contact(id: key, name: "Bo", email: "bo@example.org", score: 0, photo: []))
            try expectFailure(.constraint) { try Contact.insert(in: db) { [$0.name.set("no address")] } }
        }
    }
}
