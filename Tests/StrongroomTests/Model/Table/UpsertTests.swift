import Strongroom
import StrongroomTesting
import Testing

/// The steps: the row with the unique value, else the row with the key, else a new row.
struct UpsertTests {
    @Test func aTextKeyIsUpsertedAndNotMade() async throws {
        try await TemporaryStore(tables: [Named.schema]).store.write { db in
            #expect(try Named.upsert(Named("a", 1), in: db).outcome == .inserted)
            let result = try Named.upsert(Named("a", 2), .by(\.name), in: db)
            #expect(result.outcome == .updated)
            #expect(result.key == "a")
            try expectFailure(.missingKey) { try Named.upsert(Named(nil, 3), in: db) }
            #expect(try Named.all(in: db) == [Named("a", 2)])
        }
    }

    @Test func aUniqueColumnThatIsNilIsAnErrorAndNothingChanges() async throws {
        try await TemporaryStore(tables: [Note.schema]).store.write { db in
            try Note.insert(contentsOf: [Note("a", level: 1), Note(nil, slug: "s", level: 2)], in: db)
            let before = try Note.all(in: db)
            for nils in [NilPolicy.overwrite, .keep] {
                for key: Int64? in [nil, 1, 2, 99] {
                    try expectFailure(.missingKey, saying: "\"title\"") {
                        try Note.upsert(Note(id: key, nil, slug: "t", level: 9), .by(\.title, nils: nils), in: db)
                    }
                    try expectFailure(.missingKey) {
                        try Note.upsert(Note(id: key, "t", level: 9), .by(\.slug, nils: nils), in: db)
                    }
                }
            }
            #expect(try Note.all(in: db) == before)
        }
    }

    @Test func aColumnThatIsNotUniqueIsRefusedAndNothingChanges() async throws {
        try await TemporaryStore(tables: [Note.schema, Contact.schema]).store.write { db in
            try Note.insert(Note("a", level: 1), in: db)
            let before = try Note.all(in: db)
            for _ in 1...2 {
                try expectFailure(.notDeclared, saying: "\"code\"") {
                    try Note.upsert(Note(id: 1, "b", level: 2), .by(\.code), in: db)
                }
                // Unique only together with another column.
                try expectFailure(.notDeclared) { try Note.upsert(Note(id: 1, "b", level: 2), .by(\.mood), in: db) }
                try expectFailure(.notDeclared) { try Note.upsert(Note(id: 1, "b", level: 2), .by(\.level), in: db) }
                // A plain index.
                try expectFailure(.notDeclared) { try Contact.upsert(Contact(id: 1), .by(\.name), in: db) }
            }
            #expect(try Note.all(in: db) == before)
            #expect(try Contact.count(in: db) == 0)
        }
    }
}

struct UpsertTransactionTests {
    private struct Stop: Error {}

    @Test func anUpsertBelongsToTheCallersTransaction() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        await #expect(throws: Stop.self) {
            try await store.write { db in
                for contact in Contact.samples(4) { try Contact.upsert(contact, .by(\.email), in: db) }
                for contact in Contact.samples(4) { try Contact.upsert(contact, .by(\.email), in: db) }
                #expect(try Contact.count(in: db) == 4)
                throw Stop()
            }
        }
        #expect(try await store.table(Contact.self).count() == 0)
        try await store.write { db in
            try Contact.upsert(Contact(email: "kept"), .by(\.email), in: db)
            #expect(throws: Stop.self) {
                try db.savepoint { db in
                    try Contact.upsert(Contact(name: "undone", email: "kept"), .by(\.email), in: db)
                    throw Stop()
                }
            }
        }
        #expect(try await store.table(Contact.self).all().map(\.name) == ["Ada"])
    }

    @Test func aFailedUpsertLeavesNothingOfItselfAndTheRestOfTheTransaction() async throws {
        let store = try await TemporaryStore(tables: [Note.schema]).store
        try await store.write { db in
            try Note.insert(contentsOf: [Note("a", slug: "a", level: 1), Note("b", slug: "b", level: 2)], in: db)
            let before = try Note.all(in: db)
            let failing = [
                Note("a", slug: "b", level: 5), Note(id: 2, "c", slug: "a", level: 5), Note("c", slug: "b", level: 5),
                Note(id: 3, "c", slug: "a", level: 5),
            ]
            for nils in [NilPolicy.overwrite, .keep] {
                for note in failing {
                    try expectFailure(.constraint, saying: "note.slug") {
                        try Note.upsert(note, .by(\.title, nils: nils), in: db)
                    }
                    #expect(try Note.all(in: db) == before)
                }
            }
            try Note.upsert(Note("c", slug: "c", level: 6), .by(\.title), in: db)
        }
        #expect(try await store.table(Note.self).all().map(\.title) == ["a", "b", "c"])
    }

    @Test func aValueThatCannotBeStoredFailsEveryStep() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(id: 1, email: "a"), in: db)
            for contact in [
                Contact(email: "a", score: .nan), Contact(id: 1, email: "b", score: .nan),
                Contact(email: "c", score: .nan),
            ] {
                try expectFailure(.valueNotStorable) { try Contact.upsert(contact, .by(\.email), in: db) }
            }
            #expect(try Contact.all(in: db) == [Contact(id: 1, email: "a")])
        }
    }
}

@Suite("Upserts by columns that are not unique")
struct UpsertMatchingTests {
    @Table("stock")
    struct Stock: Equatable {
        var id: Int64?
        @Column(collation: .noCase) var name: String
        var city: String?
        var count: Int
        @Column(unique: true) var code: String?
    }

    @Table("journal")
    struct Entry: Equatable {
        var id: Int64?
        var text: String
        var note: String?

        static let hooks: RecordHooks<Entry>? = RecordHooks()
            .willSave { entry, _ in entry.text = entry.text.lowercased() }
            .didSave { entry, db in
                try db.execute("INSERT INTO trace VALUES (\("\(entry.id ?? 0) \(entry.text)"))")
                if entry.note == "refused" { throw Refusal(number: 1) }
            }
    }

    private func withStore(_ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) async throws {
        try await TemporaryStore(tables: [Stock.schema, Entry.schema]).store.write { db in
            try db.execute("CREATE TABLE trace (text TEXT)")
            try body(db)
        }
    }

    @Test func oneRowIsUpdatedOrInserted() async throws {
        try await withStore { db throws in
            let stock = Stock(name: "nut", city: "Bonn", count: 1)
            #expect(try Stock.upsert(stock, .matching(\.name), in: db) == Upserted(.inserted, 1))
            let more = Stock(name: "NUT", count: 2)
            // As the column compares.
            #expect(try Stock.upsert(more, .matching(\.name, nils: .keep), in: db) == Upserted(.updated, 1))
            #expect(try Stock.all(in: db) == [Stock(id: 1, name: "NUT", city: "Bonn", count: 2)])
            #expect(try Stock.upsert(more, .matching(\.name), in: db) == Upserted(.updated, 1))
            #expect(try Stock.find(1, in: db)?.city == nil)
            // By its key, where nothing matches.
            let renamed = Stock(id: 1, name: "bolt", count: 3)
            #expect(try Stock.upsert(renamed, .matching(\.name), in: db) == Upserted(.updated, 1))
            let kept = Stock(id: 9, name: "ring", count: 4)
            #expect(try Stock.upsert(kept, .matching(\.name), in: db) == Upserted(.inserted, 9))
            #expect(try Stock.upsert(kept, .matching(\.id), in: db) == Upserted(.updated, 9))
            #expect(try Stock.count(in: db) == 2)
        }
    }

    @Test func severalRowsAreRefusedOrAllUpdated() async throws {
        try await withStore { db throws in
            try Stock.insert(
                contentsOf: [
                    Stock(name: "nut", city: "Bonn", count: 1, code: "x"), Stock(name: "nut", city: "Kiel", count: 2),
                    Stock(name: "bolt", city: "Bonn", count: 3),
                ], in: db)
            let before = try Stock.all(in: db)
            let stock = Stock(name: "nut", city: "Ulm", count: 7)
            let error = try expectFailure(.notUnique) { try Stock.upsert(stock, .matching(\.name), in: db) }
            #expect(
                error.message == """
                    Several rows of table "stock" have the record's value of "name"; nothing was changed. Match \
                    further columns, or update all of the rows with `several: .updateAll`.
                    """)
            #expect(try Stock.all(in: db) == before)
            let rows = try Stock.upsert(stock, .matching(\.name, several: .updateAll, nils: .keep), in: db)
            #expect(rows == Upserted(.updated, 1, others: [2]))
            #expect(
                try Stock.all(in: db).map(\.count) == [7, 7, 3] && Stock.all(in: db).map(\.code) == ["x", nil, nil])
            let one = try Stock.upsert(Stock(name: "nut", city: "Ulm", count: 8), .matching(\.name, \.count), in: db)
            #expect(one == Upserted(.inserted, 4))
            // Two rows cannot have one value of a unique column; neither is changed.
            let unique = Stock(name: "nut", city: "Ulm", count: 9, code: "y")
            try expectFailure(.constraint) {
                try Stock.upsert(unique, .matching(\.name, several: .updateAll), in: db)
            }
            #expect(try Stock.all(in: db).map(\.count) == [7, 7, 3, 8])
            try expectFailure(.missingKey) {
                try Stock.upsert(Stock(name: "x", count: 1), .matching(\.city, several: .updateAll), in: db)
            }
        }
    }

    @Test func aListIsWrittenWholeOrNotAtAll() async throws {
        try await withStore { db throws in
            let list = [Stock(name: "a", count: 1), Stock(name: "b", count: 1), Stock(name: "A", count: 2)]
            #expect(
                try Stock.upsert(contentsOf: list, .matching(\.name), in: db)
                    == [Upserted(.inserted, 1), Upserted(.inserted, 2), Upserted(.updated, 1)])
            try Stock.insert(Stock(name: "b", count: 5), in: db)
            try expectFailure(.notUnique) {
                try Stock.upsert(
                    contentsOf: [Stock(name: "c", count: 1), Stock(name: "b", count: 1)], .matching(\.name), in: db)
            }
            #expect(try Stock.all(in: db).map(\.name) == ["A", "b", "b"])
        }
    }

    @Test func hooksRunForTheRecordAndForEachRow() async throws {
        try await withStore { db throws in
            try db.execute("INSERT INTO journal (text) VALUES ('one'), ('one'), ('two')")
            let rows = try Entry.upsert(Entry(text: "ONE", note: "new"), .matching(\.text, several: .updateAll), in: db)
            #expect(rows.keys == [1, 2])
            #expect(try Entry.all(in: db).map(\.note) == ["new", "new", nil])
            #expect(try db.dictionaries("SELECT text FROM trace").map { $0["text"]?.string } == ["1 one", "2 one"])
            #expect(throws: Refusal.self) {
                try Entry.upsert(Entry(text: "TWO", note: "refused"), .matching(\.text), in: db)
            }
            #expect(try Entry.find(3, in: db)?.note == nil)
        }
    }
}

/// A feed says what it knows of a row; what it does not mention stays.
struct UpsertFieldsTests {
    private static let ada = Contact(id: 1, name: "Ada", email: "ada", phone: "1", score: 1, photo: [1])
    private static let bo = Contact(id: 2, name: "Bo", email: "bo", phone: "2", score: 2, photo: [2])

    private static func makeStore() async throws -> Store {
        let store = try await TemporaryStore(tables: [Contact.schema, Price.schema]).store
        try await store.write { [ada, bo] db in try Contact.insert(contentsOf: [ada, bo], in: db) }
        return store
    }

    private func all(_ db: borrowing some Reading & ~Copyable) throws -> [Contact] { try Contact.all(in: db) }

    @Test func onlyWhatTheJSONMentionsIsWritten() async throws {
        try await Self.makeStore().write { db in
            let outcome = try Contact.upsert(json: #"{"email": "ada", "score": 5}"#, .by(\.email), in: db)
            #expect(outcome == [Upserted(.updated, 1)])
            var ada = Self.ada
            ada.score = 5
            #expect(try all(db) == [ada, Self.bo])

            try Contact.upsert(json: #"{"id": 1, "phone": null}"#, in: db)
            ada.phone = nil
            #expect(try all(db) == [ada, Self.bo])
            // Found by the primary key although another column was to find it.
            try Contact.upsert(json: #"{"id": 2, "email": "bob"}"#, .by(\.email), in: db)
            var bo = Self.bo
            bo.email = "bob"
            #expect(try all(db) == [ada, bo])
            try Contact.upsert(json: #"{"email": "ada"}"#, .by(\.email), in: db)
            try Contact.upsert(json: #"{"id": 2}"#, in: db)
            #expect(try all(db) == [ada, bo])
            // The row keeps its key.
            try Contact.upsert(json: #"{"id": 77, "email": "ada", "name": "A"}"#, .by(\.email), in: db)
            ada.name = "A"
            #expect(try all(db) == [ada, bo])
        }
    }

    @Test func aNewRowHasTheDefaults() async throws {
        try await Self.makeStore().write { db in
            let json = """
                [{"email": "cy", "name": "Cy", "photo": ""}, {"email": "cy", "phone": "3"}, {"email": "bo", "score": 7}]
                """
            let outcomes = try Contact.upsert(json: json, .by(\.email), in: db)
            #expect(outcomes == [Upserted(.inserted, 3), Upserted(.updated, 3), Upserted(.updated, 2)])
            let cy = Contact(id: 3, name: "Cy", email: "cy", phone: "3", score: 0, photo: [])
            var bo = Self.bo
            bo.score = 7
            #expect(try all(db) == [Self.ada, bo, cy])
        }
    }

    @Test(
        arguments: [
            (#"[{"email": "ada", "score": 5}, {"email": "new"}]"#, .notARecord),
            (#"[{"email": "ada", "score": 5}, {"email": "ada", "score": "x"}]"#, .typeMismatch),
            (#"[{"email": "ada", "score": 5}, {"score": 6}]"#, .missingKey),
            (#"[{"email": "ada", "score": 5}, {"email": null, "score": 6}]"#, .missingKey),
            (#"[{"email": "ada", "score": 5}, {"email": "ada", "colour": 6}]"#, .notARecord),
            (#"[{"email": "ada", "score": 5}, 7]"#, .notARecord),
            (#"[{"email": "ada", "score": 5}, {"email": "ada", "name": null}]"#, .typeMismatch),
            (#"7"#, .notARecord), ("{", .notARecord),
        ] as [(String, StrongroomError.Code)])
    func whatDoesNotFitChangesNothing(json: String, code: StrongroomError.Code) async throws {
        try await Self.makeStore().write { db in
            let error = try expectFailure(code) { try Contact.upsert(json: json, .by(\.email), in: db) }
            #expect(error.message.hasPrefix("At index 1 of the list: ") == json.hasPrefix("["), "\(error.message)")
            #expect(try all(db) == [Self.ada, Self.bo])
        }
    }

    @Test func aReferenceToNoRowNamesTheObjectOfTheList() async throws {
        try await TemporaryStore(tables: [Contact.schema, Purchase.schema]).store.write { db in
            try Contact.insert(Self.ada, in: db)
            let error = try expectFailure(.constraint) {
                try Purchase.upsert(
                    json: """
                        [{"buyer": 1, "article": "a", "total": 1}, {"buyer": 9, "article": "b", "total": 2}]
                        """, in: db)
            }
            #expect(error.message.hasPrefix("At index 1 of the list: FOREIGN KEY"), "\(error.message)")
            #expect(error.constraint?.kind == .foreignKey)
            #expect(try Purchase.count(in: db) == 0)
        }
    }

    @Test func dictionariesAndKeysOfSeveralColumns() async throws {
        try await Self.makeStore().write { db in
            let new: [String: SQLValue] = ["shop": "s", "article": 1, "label": "l", "edition": 2]
            #expect(try Price.upsert(dictionaries: [new], .by(\.shop, \.article), in: db)[0].outcome == .inserted)
            try Price.upsert(dictionaries: [["shop": "s", "article": 1, "cents": 5]], .by(\.article, \.shop), in: db)
            try Price.upsert(
                dictionaries: [["label": "l", "edition": 2, "cents": .null]], .by(\.label, \.edition), in: db)
            try Price.upsert(json: #"{"shop": "s", "article": 1, "edition": 3}"#, in: db)
            let prices = try Price.all(in: db)
            #expect(prices == [Price(shop: "s", article: 1, label: "l", edition: 3, cents: nil)])
            try expectFailure(.notDeclared) {
                try Contact.upsert(dictionaries: [["name": "Ada"]], .by(\.name), in: db)
            }
            let coding = RecordCoding(keys: .snakeCase.renaming(["email": "mail"]), unknownKeys: .ignored)
            try Contact.upsert(json: #"{"mail": "ada", "x": 1, "score": 9}"#, .by(\.email), coding: coding, in: db)
            #expect(try Contact.find(1, in: db)?.score == 9)
        }
    }
}
