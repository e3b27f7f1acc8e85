import Strongroom
import StrongroomTesting
import Testing

/// The exact SQL of a condition, next to what it finds among five contacts.
struct ConditionSQLTests {
    private static let contacts: [Contact] = [
        Contact(id: 1, name: "Ada", email: "ada@a.org", phone: nil, score: -1),
        Contact(id: 2, name: "Bo", email: "bo@b.org", phone: "", score: 0.5),
        Contact(id: 3, name: "", email: "none@c.org", phone: "030", score: 1),
        Contact(id: 4, name: "ada", email: "ada@d.org", phone: "040", score: 2),
        Contact(id: 5, name: "A_a", email: "50%@e.org", phone: nil, score: .infinity),
    ]

    private func expect(
        _ sql: String,
        _ values: [SQLValue],
        finds ids: [Int64],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @escaping @Sendable (Contact.Columns) -> Condition
    ) async throws {
        let made = condition(Contact.columns)
        #expect(made.sql.text == sql, sourceLocation: sourceLocation)
        #expect(made.sql.values == values, sourceLocation: sourceLocation)
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Self.contacts, in: db) }
        let found = try await store.read { db in
            try Contact.where(condition).order { $0.id.ascending }.fetch(in: db).map(\.id)
        }
        #expect(found == ids, sourceLocation: sourceLocation)
    }

    @Test func comparisons() async throws {
        try await expect("(`name` = ?)", ["Ada"], finds: [1]) { $0.name == "Ada" }
        try await expect("(`name` <> ?)", ["Ada"], finds: [2, 3, 4, 5]) { $0.name != "Ada" }
        try await expect("(`score` < ?)", [1.0], finds: [1, 2]) { $0.score < 1 }
        try await expect("(`score` <= ?)", [1.0], finds: [1, 2, 3]) { $0.score <= 1 }
        try await expect("(`score` > ?)", [1.0], finds: [4, 5]) { $0.score > 1 }
        try await expect("(`score` >= ?)", [1.0], finds: [3, 4, 5]) { $0.score >= 1 }
        try await expect("(`score` = ?)", [.real(.infinity)], finds: [5]) { $0.score == .infinity }
    }

    @Test func nilStandsForNull() async throws {
        try await expect("(`phone` IS NULL)", [], finds: [1, 5]) { $0.phone == nil }
        try await expect("(`phone` IS NOT NULL)", [], finds: [2, 3, 4]) { $0.phone != nil }
        try await expect("(`phone` = ?)", [""], finds: [2]) { $0.phone == "" }
        try await expect("(`phone` <> ?)", [""], finds: [3, 4]) { $0.phone != "" }
    }

    @Test func lists() async throws {
        try await expect("(`name` IN (?, ?))", ["Ada", "Bo"], finds: [1, 2]) { $0.name.isIn(["Ada", "Bo"]) }
        try await expect("(`name` IN ())", [], finds: []) { $0.name.isIn([]) }
        try await expect("(NOT (`name` IN ()))", [], finds: [1, 2, 3, 4, 5]) { !$0.name.isIn([]) }
        try await expect("(`phone` IN (?) OR `phone` IS NULL)", ["030"], finds: [1, 3, 5]) {
            $0.phone.isIn([nil, "030"])
        }
        try await expect("(NOT (`phone` IN (?) OR `phone` IS NULL))", ["030"], finds: [2, 4]) {
            !$0.phone.isIn(["030", nil])
        }
    }

    @Test func combinations() async throws {
        try await expect("((`name` = ?) AND (`score` < ?))", ["Ada", 0.0], finds: [1]) {
            $0.name == "Ada" && $0.score < 0
        }
        try await expect("(((`name` = ?) OR (`name` = ?)) AND (`phone` IS NULL))", ["Ada", "Bo"], finds: [1]) {
            ($0.name == "Ada" || $0.name == "Bo") && $0.phone == nil
        }
        try await expect("((`name` = ?) OR ((`name` = ?) AND (`phone` IS NULL)))", ["Bo", "A_a"], finds: [2, 5]) {
            $0.name == "Bo" || $0.name == "A_a" && $0.phone == nil
        }
        try await expect("(NOT (`name` = ?))", ["Ada"], finds: [2, 3, 4, 5]) { !($0.name == "Ada") }
        // A NULL is neither like a value nor unlike it.
        try await expect("(NOT (`phone` = ?))", ["030"], finds: [2, 4]) { !($0.phone == "030") }
    }

    @Test func texts() async throws {
        let other = "length(CAST(? AS BLOB))"
        let length = "(length(CAST(`name` AS BLOB)) >= \(other))"
        let isText = "(length(CAST(`name` AS BLOB)) >= 0)"
        try await expect(
            "(\(length) AND (substr(CAST(`name` AS BLOB), 1, \(other)) = CAST(? AS BLOB)))", ["A", "A", "A"],
            finds: [1, 5]
        ) {
            $0.name.hasPrefix("A")
        }
        try await expect(
            "(\(length) AND (substr(CAST(`name` AS BLOB), -\(other)) = CAST(? AS BLOB)))", ["da", "da", "da"],
            finds: [1, 4]
        ) {
            $0.name.hasSuffix("da")
        }
        try await expect("(instr(CAST(`email` AS BLOB), CAST(? AS BLOB)) > 0)", ["0%"], finds: [5]) {
            $0.email.contains("0%")
        }
        try await expect("(`name` LIKE ? ESCAPE '\\')", ["a_a"], finds: [1, 4, 5]) { $0.name.like("a_a") }
        try await expect("(`name` LIKE ? ESCAPE '\\')", ["a\\_a"], finds: [5]) { $0.name.like("a\\_a") }
        try await expect(isText, [], finds: [1, 2, 3, 4, 5]) { $0.name.hasPrefix("") }
        try await expect("(NOT \(isText))", [], finds: []) { !$0.name.contains("") }
        try await expect("(length(CAST(`phone` AS BLOB)) >= 0)", [], finds: [2, 3, 4]) { $0.phone.hasSuffix("") }
    }

    @Test func twoColumns() async throws {
        try await expect("(`name` = `phone`)", [], finds: []) { $0.name == Column<String>($0.phone.definition.name) }
        try await expect("(`name` < `email`)", [], finds: [1, 2, 3, 4]) { $0.name < $0.email }
        try await expect("(`name` > `email`)", [], finds: [5]) { $0.name > $0.email }
        try await expect("(`name` <> `email`)", [], finds: [1, 2, 3, 4, 5]) { $0.name != $0.email }
    }

    @Test func sqlOfOnesOwn() async throws {
        let low = -0.5
        try await expect("((score < ? OR score > 1) AND (`phone` IS NOT NULL))", [.real(low)], finds: [4]) {
            Condition("score < \(low) OR score > 1") && $0.phone != nil
        }
        try await expect("(NOT (score < 1 OR score > 1))", [], finds: [3]) { _ in !Condition("score < 1 OR score > 1") }
        try await expect("((score < 1) = ?)", [0], finds: [3, 4, 5]) { _ in Condition("score < 1") == false }
        try await expect("((score < 1) <> (`phone` IS NULL))", [], finds: [2, 5]) {
            let isLow = Condition("score < 1")
            let hasNone: Condition = $0.phone == nil
            return isLow != hasNone
        }
    }
}

struct QueryTests {
    private static func makeStore() async throws -> Store {
        let store = try await TemporaryStore(tables: [Sample.schema]).store
        var generator = SeededGenerator(77)
        let samples = (1...200).map { Sample(id: $0, &generator) }
        try await store.write { db in try Sample.insert(contentsOf: samples, in: db) }
        return store
    }

    @Test func rowsComeInTheOrderAskedFor() async throws {
        try await Self.makeStore().read { db in
            let all = try Sample.all(in: db)
            #expect(all.compactMap(\.id) == (1...200).map { $0 })
            let byWord = try Sample.order { ($0.word.ascending, $0.number.descending, $0.id.descending) }
                .fetch(in: db)
            let expected = all.sorted { left, right in
                let words = (left.word.map { Sortable($0) }, right.word.map { Sortable($0) })
                if let isBefore = Self.isBefore(words.0, words.1) { return isBefore }
                let numbers = (left.number.map { Sortable($0) }, right.number.map { Sortable($0) })
                if let isBefore = Self.isBefore(numbers.1, numbers.0) { return isBefore }
                return (left.id ?? 0) > (right.id ?? 0)
            }
            #expect(byWord.map(\.id) == expected.map(\.id))
            let chained = Sample.order { $0.word.ascending }.order { $0.number.descending }.order { $0.id.descending }
            #expect(try chained.fetch(in: db) == byWord)
        }
    }

    /// Nil comes first; nil as the answer means that the two are equal.
    private static func isBefore(_ left: Sortable?, _ right: Sortable?) -> Bool? {
        switch (left, right) {
        case (nil, nil): nil
        case (nil, _): true
        case (_, nil): false
        case (let left?, let right?): left == right ? nil : left < right
        }
    }

    @Test func aLimitAndAnOffsetCutAPage() async throws {
        let store = try await Self.makeStore()
        let ordered = Sample.order { $0.id.ascending }
        try await store.read { db throws in
            #expect(try ordered.limit(3).fetch(in: db).compactMap(\.id) == [1, 2, 3])
            #expect(try ordered.limit(3, offset: 5).fetch(in: db).compactMap(\.id) == [6, 7, 8])
            #expect(try ordered.limit(3, offset: 198).fetch(in: db).compactMap(\.id) == [199, 200])
            #expect(try ordered.limit(3, offset: 200).fetch(in: db).isEmpty)
            #expect(try ordered.limit(0).fetch(in: db).isEmpty)
            #expect(try ordered.limit(.max).fetch(in: db).count == 200)
            #expect(try ordered.limit(5).limit(2).fetch(in: db).compactMap(\.id) == [1, 2], "the last limit counts")
        }
    }

    @Test func firstIsTheFirstOfTheQuery() async throws {
        try await Self.makeStore().read { db throws in
            #expect(try Sample.order { $0.id.descending }.first(in: db)?.id == 200)
            #expect(try Sample.where { $0.id > 10 }.order { $0.id.ascending }.first(in: db)?.id == 11)
            #expect(try Sample.order { $0.id.ascending }.limit(5, offset: 7).first(in: db)?.id == 8)
            #expect(try Sample.where { $0.id == 999 }.first(in: db) == nil)
            #expect(try Sample.order { $0.id.ascending }.limit(0).first(in: db) == nil)
        }
    }

    @Test func countIsTheNumberOfRowsThatFetchGives() async throws {
        let store = try await Self.makeStore()
        let queries: [Query<Sample>] = [
            Query(), Sample.where { $0.size == 0 }, Sample.where { $0.size == 99 }, Query().limit(7), Query().limit(0),
            Query().limit(500), Query().limit(50, offset: 190), Sample.where { $0.size > 0 }.limit(9, offset: 2),
            Sample.order { $0.word.ascending }, Sample.order { $0.word.ascending }.limit(4),
            Sample.where { $0.flag == true }.order { $0.id.ascending }.limit(3, offset: 1_000),
        ]
        try await store.read { db in
            for query in queries {
                let records = try query.fetch(in: db)
                #expect(try query.count(in: db) == records.count)
            }
            #expect(try Sample.count(in: db) == 200)
        }
    }

    @Test func conditionsThatAreAddedNarrowTheQuery() async throws {
        try await Self.makeStore().read { db in
            let both = Sample.where { $0.size > 0 || $0.flag == true }.where { $0.word == nil || $0.id < 100 }
            let expected = try Sample.all(in: db).filter {
                ($0.size > 0 || $0.flag == true) && ($0.word == nil || $0.id ?? 0 < 100)
            }
            #expect(try both.order { $0.id.ascending }.fetch(in: db) == expected)
            #expect(!expected.isEmpty && expected.count < 200)
        }
    }
}

private let oddNames = [
    "plain", "two words", "quote\"d", "\"", "\"\"", "it's", "a`b", "`", "[x]", "]", "select", "TABLE", "from", "order",
    "semi;colon",
    "--", "/*", "a.b", "naïve", "漢字", "👩‍👩‍👧", "e\u{301}", "?", ":p", "%", "\\", "new\nline", "1", " ",
    "rowid2", "UPPER",
    // A mark that joins the quote before it: one character to Swift, two to the engine.
    "`\u{301}", "a`\u{301}b", "\"\u{301}", "'\u{301}", "\u{301}",
]

struct SQLInterpolationTests {
    private static let attacks = [
        "'; DROP TABLE contact; --", "' OR '1'='1", "\" OR \"\"=\"", "x') OR (1=1", "%", "1; DELETE FROM contact", "?",
        "\\",
        "\\'; DROP TABLE contact; --", "\0'; DROP TABLE contact; --", "`contact`", "NULL", "(SELECT id FROM contact)",
    ]

    @Test func valuesAreBoundAndNeverBecomeSQL() {
        let name = "x' OR 1 = 1 --"
        let phone: String? = nil
        let sql: SQL =
            "SELECT \(1) FROM contact WHERE name = \(name) AND phone IS \(phone) AND photo = \([UInt8]([1, 2]))"
        #expect(sql.text == "SELECT ? FROM contact WHERE name = ? AND phone IS ? AND photo = ?")
        #expect(sql.values == [1, .text(name), .null, .blob([1, 2])])
    }

    @Test func piecesKeepTheirValuesInOrder() {
        let age: SQL = "age > \(18) AND age < \(99)"
        let query: SQL = "SELECT \("a") FROM \(name: "my table") WHERE \(age) OR name = \("b")"
        #expect(query.text == "SELECT ? FROM \(SQL.quoted("my table")) WHERE age > ? AND age < ? OR name = ?")
        #expect(query.values == ["a", 18, 99, "b"])
    }

    @Test(arguments: attacks.map { Attack(text: $0) })
    func whatAUserTypedStaysData(attack: Attack) async throws {
        let text = attack.text
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            let key = try Contact.insert(Contact(name: text, email: text, phone: text), in: db)
            #expect(try db.value("SELECT count(*) FROM contact WHERE name = \(text)", as: Int.self) == 1)
            #expect(try Contact.where { $0.name == text }.fetch(in: db).map(\.id) == [key])
            #expect(try Contact.where { $0.name.hasPrefix(text) && $0.email.hasSuffix(text) }.count(in: db) == 1)
            #expect(try Contact.where { $0.phone.contains(text) }.count(in: db) == 1)
            #expect(try Contact.where { $0.phone.isIn([text, "x"]) }.count(in: db) == 1)
            #expect(try db.execute("UPDATE contact SET name = \(text) WHERE email = \(text)") == 1)
            #expect(try db.execute("DELETE FROM contact WHERE name = \(text)") == 1)
            #expect(try Contact.count(in: db) == 3)
        }
    }

    @Test func everyNameCanBeATable() async throws {
        try await TemporaryStore().store.write { db in
            for name in oddNames {
                try db.execute("CREATE TABLE \(name: name) (\(name: name) INTEGER)")
                try db.execute("INSERT INTO \(name: name) (\(name: name)) VALUES (\(7))")
                let found = try db.value(
                    "SELECT \(name: name) FROM \(name: name) WHERE \(name: name) = \(7)", as: Int.self)
                #expect(found == 7, "\(name)")
            }
            #expect(try Set(db.tableNames().map { Array($0.utf8) }) == Set(oddNames.map { Array($0.utf8) }))
            for name in oddNames { try db.dropTable(name) }
            #expect(try db.tableNames() == [])
        }
    }

    @Test func aNameWithANulIsRefused() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try expectFailure(.sql) { try db.dropTable("contact\0") }
            try expectFailure(.sql) { try db.execute("SELECT \(name: "id\0") FROM contact") }
            #expect(try db.tableNames() == ["contact"])
        }
    }

    @Test func aValueWithinQuotesIsNoParameter() async throws {
        try await TemporaryStore(tables: []).store.read { db in
            let quoted = try expectFailure(.sql) { try db.value("SELECT '\("Ada")', \(7)", as: String.self) }
            #expect(quoted.message.hasPrefix("The SQL has 1 parameter and 2 values; a value interpolated within"))
            let missing = try expectFailure(.sql) { try db.value("SELECT ?", as: String.self) }
            #expect(missing.message == "The SQL has 1 parameter and 0 values; interpolate each value, as in \\(limit).")
        }
    }

    /// The engine takes a name in double quotes that it does not know for a text ("SQLite Quirks", section 8): a query
    /// for a column that is not there would find nothing instead of failing.
    @Test func aColumnThatIsNotThereIsAnErrorAndNotAText() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let missing = Column<String>("nickname")
        try await store.write { db in
            try Contact.insert(Contact(), in: db)
            try expectFailure(.sql) { try db.value("SELECT \(name: "nickname") FROM contact", as: String.self) }
            try expectFailure(.sql) { try Contact.where { _ in missing == "nickname" }.fetch(in: db) }
            try expectFailure(.sql) { try Contact.where { _ in missing != "Ada" }.delete(in: db) }
            try expectFailure(.sql) { try Contact.order { _ in missing.ascending }.fetch(in: db) }
            try expectFailure(.sql) { try db.createIndex(TableIndex(on: missing), on: "contact") }
            try db.execute("ALTER TABLE contact RENAME TO old")
            try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT)")
            try db.execute("INSERT INTO contact VALUES (1, 'Ada')")
            try expectFailure(.sql) { try Contact.all(in: db) }
            try expectFailure(.sql) { try Contact.find(1, in: db) }
            try expectFailure(.sql) { try Contact.upsert(Contact(), .by(\.email), in: db) }
        }
    }
}

/// A text as a test's argument, printed without control characters.
struct Attack: CustomTestStringConvertible {
    let text: String
    var testDescription: String { text.replacing("\0", with: "NUL") }
}

extension SQL {
    /// A name as the library quotes it.
    static func quoted(_ name: String) -> String {
        ("\(name: name)" as SQL).text
    }
}
