import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Records to and from dictionaries and JSON, all or nothing.
struct RecordFieldsTests {
    private static let instant = Date(timeIntervalSinceReferenceDate: 785_449_700.25)

    private static var person: Person {
        var person = Person()
        person.id = .max
        person.name = "A\"d\\a\0/é"
        person.email = "ada@example.org"
        person.age = -3
        person.small = 255
        person.score = 0.1
        person.ratio = 0.1
        person.isActive = true
        person.born = instant
        person.price = Decimal(string: "12345678901234567890.0123456789") ?? 0
        person.kind = .colleague
        person.photo = [0, 255, 1]
        person.tags = JSON(["a", "b"])
        person.extra = "x"
        return person
    }

    private func error(_ work: () throws -> Void) -> StrongroomError? {
        do {
            try work()
            return nil
        } catch {
            return error as? StrongroomError
        }
    }

    @Test func theWholeText() throws {
        #expect(
            try Self.person.json() == #"""
                {"age":-3,"born":"2025-11-21T20:28:20.25Z","email":"ada@example.org","extra":"x",\#
                "id":9223372036854775807,"in":null,"isActive":true,"kind":1,\#
                "name":"A\"d\\a\u0000/é","nickname":null,"photo":"AP8B",\#
                "price":"12345678901234567890.0123456789","ratio":0.1,"score":0.1,"small":255,"tags":["a","b"],\#
                "token":"00000000-0000-0000-0000-000000000000"}
                """#)
    }

    @Test func numbersThatAreNoneOfTheColumnAreRefused() throws {
        var person = Self.person
        let manyDigits = "9007199254740994" + String(repeating: "0", count: 170) + "e-170"
        for text in [
            #"{"age": 1.0000000000000000001}"#, #"{"age": 9007199254740993.5}"#, #"{"ratio": 1e300}"#,
            #"{"small": \#(manyDigits)}"#,
        ] {
            #expect(error { try person.apply(json: text) }?.code == .typeMismatch, "\(text)")
        }
        // One that is also in a key that nobody knows does not stop the process.
        _ = error { try person.apply(json: #"{"nobody": \#(manyDigits)}"#) }
        #expect(person == Self.person)
    }

    @Test func aRecordComesBack() throws {
        let person = Self.person
        let styles: [RecordCoding.DateStyle] = [
            .exact, .form(.iso8601), .form(.iso8601WithBlank), .form(.since1970(.seconds)),
            .form(.since1970(.milliseconds)), .stored,
        ]
        for dates in styles {
            for keys in [
                KeyMapping.properties, .columns, .snakeCase, .custom { "_\($0)" }, .snakeCase.renaming(["id": "x y"]),
            ] {
                let coding = RecordCoding(keys: keys, dates: dates)
                #expect(try Person(json: person.json(coding), coding) == person)
                #expect(try Person(dictionary: person.dictionary(coding), coding) == person)
            }
        }
        #expect(try Person(dictionary: person.dictionary()) == person)
        #expect(try Person.records(json: Person.json(of: [person, Person()])) == [person, Person()])
        #expect(try Person.records(json: "[]") == [])
    }

    @Test func randomRecordsComeBack() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of randomRecordsComeBack: \(seed)")
        var generator = SeededGenerator(seed)
        for _ in 0..<500 {
            var person = Person()
            person.id = generator.sometimesNil { Int64(bitPattern: $0.next()) }
            person.name = generator.text()
            person.nickname = generator.sometimesNil { $0.text() }
            person.age = Int(truncatingIfNeeded: generator.next())
            person.score = generator.sometimesNil { $0.number() }.flatMap { $0.isFinite ? $0 : nil }
            person.photo = generator.bytes()
            person.tags = JSON([generator.text()])
            let width = Double(sign: .plus, exponent: Int.random(in: -60...35, using: &generator), significand: 1)
            person.born = Date(timeIntervalSinceReferenceDate: .random(in: -width...width, using: &generator))
            try #require(Person(json: person.json()) == person)
            let coding = RecordCoding()
            try #require(Person(dictionary: person.dictionary(coding), coding) == person)
        }
    }

    @Test func keysAreMapped() throws {
        #expect(try Self.person.dictionary()["email"] == "ada@example.org")
        #expect(try Self.person.dictionary(RecordCoding(keys: .columns))["e-mail"] == "ada@example.org")
        #expect(try Self.person.dictionary(RecordCoding(keys: .snakeCase))["is_active"] == 1)
        let renamed = RecordCoding(keys: .snakeCase.renaming(["isActive": "active"]))
        #expect(try Self.person.dictionary(renamed)["active"] == 1)
        let twice = RecordCoding(keys: .properties.renaming(["name": "age"]))
        #expect(error { _ = try Self.person.json(twice) }?.code == .invalidArgument)
    }

    @Test func wordsAreSeparatedByUnderscores() throws {
        let keys = try Words().dictionary(RecordCoding(keys: .snakeCase)).keys.sorted()
        #expect(keys == ["a1_b", "already_there", "created_at", "größe_ä", "url_string", "user_id", "x"])
    }

    @Test func datesAreWrittenInTheirStyle() throws {
        func born(_ dates: RecordCoding.DateStyle) throws -> SQLValue? {
            try Self.person.dictionary(RecordCoding(dates: dates))["born"]
        }
        #expect(try born(.stored) == .real(785_449_700.25))
        #expect(try born(.form(.since1970(.seconds))) == .real(1_763_756_900.25))
        #expect(try born(.form(.since1970(.milliseconds))) == .integer(1_763_756_900_250))
        #expect(try born(.exact) == "2025-11-21T20:28:20.25Z")
        #expect(try born(.form(.iso8601)) == "2025-11-21T20:28:20.250Z")
        let milliseconds = RecordCoding(dates: .form(.iso8601))
        for (seconds, text) in [
            (0.0, "2001-01-01T00:00:00.000Z"), (0.000_4, "2001-01-01T00:00:00.000Z"),
            (-0.000_6, "2000-12-31T23:59:59.999Z"), (785_449_700.036151766, "2025-11-21T20:28:20.036Z"),
            (59.999_9, "2001-01-01T00:01:00.000Z"),
        ] {
            var person = Self.person
            person.born = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(try person.dictionary(milliseconds)["born"] == .text(text))
        }
        for seconds in [-63_145_526_400.5, 252_423_993_599.999_9] {
            var person = Self.person
            person.born = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(error { _ = try person.dictionary(milliseconds) }?.code == .valueNotStorable)
        }
    }

    @Test(arguments: [
        ("2001-01-01T00:00:00Z", 0), ("2001-01-01t00:00:00z", 0), ("2000-02-29T23:59:59.5Z", -26_438_400.5),
        ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T19:30:00-04:30", 0), ("0000-01-01T00:00:00Z", -63_145_526_400),
        ("9999-12-31T23:59:59Z", 252_423_993_599), ("2000-12-31T23:59:59.9Z", -0.1), ("2000-12-31T23:59:59.000Z", -1),
        ("1970-01-01T00:00:00.001Z", -978_307_199.999),
    ])
    func datesAreReadWithAnyOffset(text: String, seconds: Double) throws {
        var person = Self.person
        try person.apply(json: #"{"born":"\#(text)"}"#)
        #expect(person.born?.timeIntervalSinceReferenceDate == seconds)
        let again = try Person(json: person.json())
        #expect(again.born == person.born)
    }

    @Test(arguments: [
        "2001-01-01", "2001-01-01T00:00:00", "2001-13-01T00:00:00Z", "2001-02-29T00:00:00Z", "2001-01-01T24:00:00Z",
        "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+2:00", "01-01-01T00:00:00Z", "2001-01-01T00:00:60Z", "tomorrow",
        "٢٠٠١-01-01T00:00:00Z", "2001-01-01T00:00:00Zx", "-001-01-01T00:00:00Z",
    ])
    func whatIsNoDateIsRefused(text: String) {
        var person = Self.person
        let error = error { try person.apply(json: #"{"born":"\#(text)"}"#) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.mismatch?.column == "born")
        #expect(person == Self.person)
    }

    @Test(arguments: [
        (#"{"age": "3"}"#, "age"), (#"{"age": 3.5}"#, "age"), (#"{"age": null}"#, "age"), (#"{"age": true}"#, "age"),
        (#"{"age": 9223372036854775808}"#, "age"), (#"{"small": 256}"#, "small"), (#"{"isActive": 1}"#, "is`Active"),
        (#"{"kind": 7}"#, "kind"), (#"{"token": "x"}"#, "token"), (#"{"photo": "?"}"#, "photo"),
        (#"{"name": ["x"]}"#, "name"),
        (#"{"price": "1e5"}"#, "price"), (#"{"tags": {"a": 1}}"#, "tags"), (#"{"born": 3}"#, "born"),
        (#"{"name": {"geheim": "geheim"}}"#, "name"),
    ])
    func aValueThatDoesNotFitChangesNothing(text: String, column: String) {
        var person = Self.person
        // What stands beside it fits.
        let patch = text.replacing("}", with: #", "nickname": "geheim"}"#, maxReplacements: column == "tags" ? 0 : 1)
        let error = error { try person.apply(json: column == "name" ? text : patch) }
        #expect(error?.code == .typeMismatch, "\(error.map { "\($0)" } ?? "none")")
        #expect(error?.mismatch?.column == column)
        #expect(error?.description.contains("geheim") == false)
        #expect(person == Self.person)
    }

    @Test func aPatchKeepsTheRest() throws {
        var person = Self.person
        try person.apply(json: #"{"name": "Grace", "score": null, "price": 9.10, "tags": []}"#)
        var wanted = Self.person
        (wanted.name, wanted.score, wanted.price, wanted.tags) = ("Grace", nil, Decimal(string: "9.1") ?? 0, JSON([]))
        #expect(person == wanted)
        try person.apply(["age": 5, "nickname": "Gr"])
        (wanted.age, wanted.nickname) = (5, "Gr")
        #expect(person == wanted)
    }

    @Test func whatIsLeftOutIsTheDefaultOrNil() throws {
        let note = try Note(json: "{}")
        #expect(note == Note(nil, mood: "calm", level: 3, code: [0, 255]))
        #expect(try Note(json: #"{"mood": null}"#).mood == nil)
        let missing = error { _ = try Person(json: #"{"age": 3}"#) }
        #expect(missing?.code == .notARecord)
        #expect(missing?.message.contains("\"name\"") == true)
        #expect(try Named(json: #"{"size": 3}"#) == Named(nil, 3))
    }

    @Test func unknownKeysAreRefusedIgnoredOrReported() async throws {
        let text = #"{"size": 3, "name": "n", "zoo": 1, "ape": {"x": 1}}"#
        let refused = error { _ = try Named(json: text) }
        #expect(refused?.code == .notARecord)
        #expect(refused?.message.contains("\"ape\", \"zoo\"") == true)
        #expect(try Named(json: text, RecordCoding(unknownKeys: .ignored)) == Named("n", 3))
        try await confirmation { confirm in
            let coding = RecordCoding(
                unknownKeys: .reported { keys in
                    #expect(keys == ["ape", "zoo"])
                    confirm()
                })
            let read = try Named(json: text, coding)
            #expect(read == Named("n", 3))
        }
        let many = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("k\($0)", SQLValue.null) })
        #expect((error { _ = try Named(dictionary: many) }?.message.count ?? 0) < 300)
    }

    @Test(arguments: ["", "{", "nope", "{\"size\": 3", "\u{0}", "[{]"])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(error { _ = try Named(json: text) }?.code == .notARecord)
        #expect(error { _ = try Named.records(json: text) }?.code == .notARecord)
    }

    @Test func anArrayIsAllOrNothing() {
        #expect(error { _ = try Named(json: "[]") }?.code == .notARecord)
        #expect(error { _ = try Named.records(json: "{}") }?.code == .notARecord)
        #expect(error { _ = try Named.records(json: #"[{"size": 1}, 3]"#) }?.code == .notARecord)
        let misfit = error { _ = try Named.records(json: #"[{"size": 1}, {"size": "x"}]"#) }
        #expect(misfit?.code == .typeMismatch && misfit?.mismatch?.column == "size")
        #expect(misfit?.message.hasPrefix("At index 1 of the list: ") == true, "\(misfit?.message ?? "")")
    }

    @Test func aNumberThatJSONHasNotIsRefused() throws {
        var person = Self.person
        person.score = .infinity
        #expect(error { _ = try person.json() }?.code == .valueNotStorable)
        #expect(try Person(dictionary: person.dictionary()) == person)
        person.score = 1
        person.born = .distantFuture + 400_000_000_000
        #expect(error { _ = try person.json() }?.code == .valueNotStorable)
    }

    @Test(arguments: [
        "", " ", "{", "[", #"{"size"}"#, #"{"size":}"#, #"{"size": 1"#, #"{"size": 1} x"#, #"{size: 1}"#,
        #"{"size" 1}"#,
        #"{"size": 01}"#, #"{"size": +1}"#, #"{"size": .5}"#, #"{"size": 1.}"#, #"{"size": NaN}"#, #"{"size": tru}"#,
        #"{"size": 1 2}"#, #"{"name": "a}"#, #"{"name": "\x"}"#, "{\"name\": \"\n\"}", #"{"name": 'a'}"#, "[1, 2",
        "[1 2]",
        "{,}", "[,]", #"{"size": 1; }"#, "{\"size\": 1}\0", #"{"size": [}]"#, #"{"size": [{]}}"#, #"{"name": "\"#,
    ])
    func aTextThatIsNoJSONIsRefused(json: String) {
        let refusal = error { _ = try Named(json: json) }
        #expect(refusal?.code == .notARecord && refusal?.message.contains("not valid JSON") == true)
    }

    @Test func listsInListsAreReadUpToALimit() throws {
        func json(_ levels: Int) -> String {
            #"{"size": "# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
        }
        #expect(error { _ = try Named(json: json(500)) }?.code == .typeMismatch)
        #expect(error { _ = try Named(json: json(600)) }?.message.contains("not valid JSON") == true)
        #expect(error { _ = try Named(json: String(repeating: "[", count: 100_000)) }?.code == .notARecord)
        let spaced = "\u{FEFF} {\r\n\t\"size\" : 1e2 , \"name\":\"\\u00e9\\/\"} "
        #expect(try Named(json: spaced) == Named("é/", 100))
    }

    @Test func whatIsInNoColumnIsKept() throws {
        var contact = MadeContact(id: 1, name: "Ada", email: "a", order: 2, isSelected: true)
        try contact.apply(json: #"{"name": "Grace", "default": "d"}"#)
        #expect(contact == MadeContact(id: 1, name: "Grace", email: "a", order: 2, default: "d", isSelected: true))
        #expect(try contact.json() == #"{"default":"d","email":"a","id":1,"name":"Grace","order":2,"visits":0}"#)
    }

    @Test func aRecordFromJSONIsStored() async throws {
        let store = try await TemporaryStore(tables: [Note.schema]).store
        let note = try Note(json: #"{"title": "a", "level": 9007199254740993}"#)
        let key = try await store.write { db in try Note.insert(note, in: db) }
        #expect(try await store.table(Note.self).find(key)?.level == 9_007_199_254_740_993)
    }
}

/// A table whose properties have names of several words.
@Table("words")
private struct Words {
    @Column("1", primaryKey: true) var createdAt: Int?
    @Column("2") var userID: Int?
    @Column("3") var URLString: Int?
    @Column("4") var a1B: Int?
    @Column("5") var already_there: Int?
    @Column("6") var X: Int?
    @Column("7") var größeÄ: Int?
}

@Suite("Merging records")
struct MergeTests {
    private let full = Contact(id: 7, name: "Ada", email: "a", phone: "030", score: 2, photo: [1])

    @Test func fillsWhatIsNilAndNothingElse() throws {
        var contact = Contact(name: "Bo", email: "b")
        try contact.merge(full)
        #expect(contact == Contact(id: 7, name: "Bo", email: "b", phone: "030"))
    }

    @Test func overridingTakesAllThatIsThere() throws {
        var contact = Contact(id: 1, name: "Bo", email: "b", phone: "040")
        try contact.merge(Contact(name: "Cy", email: "c", phone: nil), overriding: true)
        #expect(contact == Contact(id: 1, name: "Cy", email: "c", phone: "040"))
    }

    @Test func aRecordOfAnotherTypeGivesTheColumnsThatBothHave() throws {
        var contact = Contact(name: "Bo", email: "b")
        try contact.merge(Purchase(id: 9, buyer: 1, article: "pen", total: 3))
        #expect(contact == Contact(id: 9, name: "Bo", email: "b"))
    }

    @Test func aValueThatDoesNotFitChangesNothing() throws {
        var price = Price(shop: "a", article: 1, label: nil, edition: 1, cents: nil)
        let before = price
        // Its article is a text.
        try expectFailure(.typeMismatch) {
            try price.merge(Purchase(id: 9, buyer: 1, article: "pen", total: 3), overriding: true)
        }
        #expect(price == before)
    }

    @Test func valuesByColumn() throws {
        let values = try full.columnValues()
        #expect(values["phone"] == .text("030"))
        #expect(values["photo"] == .blob([1]))
        #expect(try Contact().columnValues()["phone"] == .null)
        #expect(throws: StrongroomError.self) { try Contact(score: .nan).columnValues() }
    }
}
