import Strongroom
import StrongroomTesting
import Testing

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
