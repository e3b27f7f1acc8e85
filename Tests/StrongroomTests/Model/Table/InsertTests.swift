import Strongroom
import StrongroomTesting
import Testing

struct InsertTests {
    @Test(arguments: [42, 0, -1, .min, .max] as [Int64])
    func aGivenKeyIsKept(key: Int64) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            var contact = Contact(id: key)
            #expect(try Contact.insert(contact, in: db) == key)
            #expect(try Contact.find(key, in: db) == contact)
            try Contact.delete(key, in: db)
            try Contact.save(&contact, .insert, in: db)
            #expect(contact.id == key)
        }
    }

    @Test func aTextKeyIsNotOverwrittenByTheRowsNumber() async throws {
        try await TemporaryStore(tables: [Named.schema]).store.write { db in
            var record = Named("seven", 7)
            try Named.save(&record, .insert, in: db)
            #expect(record == Named("seven", 7))
            #expect(try Named.insert(contentsOf: [Named("b"), Named(""), Named("a\0b")], in: db) == ["b", "", "a\0b"])
            #expect(try Named.find("seven", in: db) == record)
            #expect(try Named.find("", in: db) == Named(""))
            #expect(try Named.find("a\0b", in: db) == Named("a\0b"))
            #expect(try Named.find("a", in: db) == nil)
        }
    }

    @Test func aMissingTextKeyIsRefusedAndNothingIsWritten() async throws {
        try await TemporaryStore(tables: [Named.schema]).store.write { db in
            var record = Named(nil, 7)
            try expectFailure(.missingKey, saying: "\"named\"") { try Named.save(&record, .insert, in: db) }
            #expect(record == Named(nil, 7))
            try expectFailure(.missingKey) { try Named.insert(contentsOf: [Named("a"), Named(nil)], in: db) }
            #expect(try Named.count(in: db) == 0)
        }
    }

    @Test func anySequenceCanBeInserted() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            #expect(try Contact.insert(contentsOf: [], in: db) == [])
            let lazy = (1...2_000).lazy.map { Contact(email: "\($0)") }
            #expect(try Contact.insert(contentsOf: lazy, in: db) == (1...2_000).map { $0 })
            #expect(try Contact.count(in: db) == 2_000)
        }
    }

    /// A trigger that writes into other tables, with row numbers of their own.
    @Test func theKeyIsTheRecordsOwnWhateverTriggersInsert() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute("CREATE VIRTUAL TABLE words USING fts4(body)")
            try db.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT)")
            try db.execute("INSERT INTO log VALUES (1000, 'first')")
            try db.execute(
                """
                CREATE TRIGGER copy AFTER INSERT ON contact BEGIN
                    INSERT INTO words (docid, body) VALUES (new.id + 500, new.name);
                    INSERT INTO log (what) VALUES (new.name);
                END
                """)
            #expect(try Contact.insert(Contact(email: "1"), in: db) == 1)
            #expect(try Contact.insert(contentsOf: [Contact(email: "2"), Contact(email: "3")], in: db) == [2, 3])
            #expect(try Contact.upsert(Contact(email: "4"), .by(\.email), in: db).key == 4)
            #expect(try db.value("SELECT max(id) FROM log", as: Int.self) == 1_004)
        }
    }

    @Test func aRecordThatIsNothingButAKeyCanBeInserted() async throws {
        try await TemporaryStore(tables: [Counter.schema]).store.write { db in
            #expect(try Counter.insert(contentsOf: [Counter(), Counter(id: 9), Counter()], in: db) == [1, 9, 10])
            try Counter.update(Counter(id: 9), in: db)
            try expectFailure(.noSuchRow) { try Counter.update(Counter(id: 2), in: db) }
            #expect(try Counter.upsert(Counter(id: 9), in: db).outcome == .updated)
            #expect(try Counter.upsert(Counter(id: 2), in: db).outcome == .inserted)
            #expect(try Counter.all(in: db) == [1, 2, 9, 10].map { Counter(id: $0) })
        }
    }

    @Test func aKeyThatIsNeverUsedTwiceIsNot() async throws {
        try await TemporaryStore(tables: [Counter.schema, Cell<Int>.schema]).store.write { db in
            try Counter.insert(contentsOf: [Counter(), Counter(), Counter()], in: db)
            try Counter.delete(3, in: db)
            #expect(try Counter.insert(Counter(), in: db) == 4)
            try Cell.insert(contentsOf: [Cell(0), Cell(0), Cell(0)], in: db)
            try Cell<Int>.delete(3, in: db)
            #expect(try Cell.insert(Cell(0), in: db) == 3)
        }
    }
}

struct DefaultOnInsertTests {
    private static let filled = Note(id: 1, "a", mood: "calm", level: 3, code: [0, 255])

    @Test func anInsertPutsTheDefaultInPlaceOfNil() async throws {
        try await TemporaryStore(tables: [Note.schema]).store.write { db in
            try Note.insert(Note("a"), in: db)
            #expect(try Note.find(1, in: db) == Self.filled)
            try Note.insert(contentsOf: [Note("b", level: 5), Note("c", mood: "wild", code: [])], in: db)
            #expect(try Note.find(2, in: db) == Note(id: 2, "b", mood: "calm", level: 5, code: [0, 255]))
            #expect(try Note.find(3, in: db) == Note(id: 3, "c", mood: "wild", level: 3, code: []))
            #expect(try Note.upsert(Note("d", level: 7), .by(\.title), in: db).key == 4)
            #expect(try Note.find(4, in: db)?.mood == "calm")
            try Note.upsert(Note("e", level: 8), .by(\.title, nils: .keep), in: db)
            #expect(try Note.find(5, in: db)?.mood == "calm")
        }
    }

    @Test func anUpdateWritesNilAndNeverTheDefault() async throws {
        try await TemporaryStore(tables: [Note.schema]).store.write { db in
            try Note.insert(contentsOf: [Note("a"), Note("b", level: 9)], in: db)
            try Note.update(Note(id: 1, "a"), in: db)
            #expect(try Note.find(1, in: db) == Note(id: 1, "a"))
            try Note.update(contentsOf: [Note(id: 2, nil)], in: db)
            #expect(try Note.find(2, in: db) == Note(id: 2, nil))
            try Note.delete(keys: [1, 2], in: db)
            try Note.insert(Note(id: 1, "a"), in: db)
            try Note.upsert(Note("a", level: 1), .by(\.title), in: db)
            #expect(try Note.find(1, in: db) == Note(id: 1, "a", level: 1))
            try Note.upsert(Note(id: 1, "z"), in: db)
            #expect(try Note.find(1, in: db) == Note(id: 1, "z"))
        }
    }
}

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
}
