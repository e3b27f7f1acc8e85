import Strongroom
import StrongroomTesting
import Testing

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
            let new: [String: Value] = ["shop": "s", "article": 1, "label": "l", "edition": 2]
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
