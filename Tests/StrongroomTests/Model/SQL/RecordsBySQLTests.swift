import Strongroom
import StrongroomTesting
import Testing

/// Three columns of one type: mixed up, they would still be read.
private struct Address: Record, Equatable {
    var street: String
    var city: String
    var country: String

    static let columnNames = ["street", "city", "country"]

    init(_ street: String, _ city: String, _ country: String) {
        (self.street, self.city, self.country) = (street, city, country)
    }

    init(row: borrowing Row) throws {
        (street, city, country) = (try row[0], try row[1], try row[2])
        guard row.count == 3, row.name(at: 3) == nil, (try? row.value(at: 3)) == nil else { throw WrongRow() }
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(street, at: 0)
        try bindings.set(city, at: 1)
        try bindings.set(country, at: 2)
    }
}

@Record
private struct City: Equatable {
    var city: String
    var street: String

    init(_ city: String, _ street: String) { (self.city, self.street) = (city, street) }
}

private struct WrongRow: Error {}

/// Every way to read a column.
private struct Values: Record {
    let all: [SQLValue]
    static let columnNames = ["i", "r", "t", "b", "n"]

    init(row: borrowing Row) throws {
        guard try row.isNull(at: 4), try !row.isNull(at: 0), row.name(at: 1) == "r" else { throw WrongRow() }
        all = [
            .integer(try row.integer(at: 0)), .real(try row.real(at: 1)), .text(try row.text(at: 2)),
            .blob(try row.blob(at: 3)), try row.value(at: 4),
        ]
        let byName: String = try row["T"]
        guard byName == "x" else { throw WrongRow() }
    }

    func encode(to bindings: borrowing Bindings) throws {}
}

struct RecordsBySQLTests {
    private static let bonn = Address("Markt", "Bonn", "DE")

    private static func makeStore() async throws -> Store {
        let store = try await TemporaryStore().store
        try await store.write { db in
            try db.execute("CREATE TABLE address (city TEXT, country TEXT, street TEXT)")
            try db.execute("INSERT INTO address VALUES ('Bonn', 'DE', 'Markt')")
        }
        return store
    }

    @Test(arguments: [
        "SELECT * FROM address",
        "SELECT country, street, city FROM address",
        "SELECT street, city, country FROM address",
        "SELECT 1 AS one, street, 'x' AS x, city, country, 2 AS two FROM address",
        "SELECT street, city, country, rowid FROM address",
        "SELECT City, STREET, \"COUNTRY\" FROM address",
        "SELECT country AS country, street || '' AS street, upper('b') || 'onn' AS city FROM address",
        "SELECT v.country, v.\"city\", v.[street] FROM (SELECT * FROM address) AS v",
    ])
    func columnsAreFoundByTheirNames(query: String) async throws {
        try await Self.makeStore().read { db in
            for _ in 1...2 {
                let found = try db.fetch(Address.self, SQL(stringLiteral: query))
                #expect(found == [Self.bonn])
            }
        }
    }

    @Test(
        arguments: [
            ("SELECT street, city FROM address", "no column \"country\""),
            ("SELECT street, city, upper(country) FROM address", "no column \"country\""),
            ("SELECT street, city, country FROM address WHERE 0 UNION ALL SELECT 1, 2, 3 WHERE 0", nil),
            ("SELECT street, city AS town, country FROM address WHERE city = ''", "no column \"city\""),
            ("SELECT street, city, country, street AS City FROM address", "2 columns \"city\""),
            ("SELECT a.*, b.city FROM address AS a, address AS b", "2 columns \"city\""),
        ] as [(String, String?)])
    func aMissingOrDoubledColumnIsNamedAlsoWithoutRows(query: String, words: String?) async throws {
        try await Self.makeStore().read { db in
            for _ in 1...2 {
                guard let words else {
                    #expect(try db.fetch(Address.self, SQL(stringLiteral: query)).isEmpty)
                    continue
                }
                try expectFailure(.sql, saying: words, " AS") { try db.fetch(Address.self, SQL(stringLiteral: query)) }
            }
        }
    }

    @Test func aStatementThatIsPreparedAnewIsComparedAnew() async throws {
        try await Self.makeStore().write { db in
            #expect(try db.fetch(Address.self, "SELECT * FROM address") == [Self.bonn])
            try db.execute("ALTER TABLE address RENAME TO former")
            try db.execute("CREATE TABLE address (note TEXT, street TEXT, country TEXT, city TEXT)")
            try db.execute("INSERT INTO address VALUES ('n', 'Markt', 'DE', 'Bonn')")
            #expect(try db.fetch(Address.self, "SELECT * FROM address") == [Self.bonn])
            try db.execute("DROP TABLE address")
            try db.execute("CREATE TABLE address (street TEXT, city TEXT)")
            let error = try expectFailure(.sql) { try db.fetch(Address.self, "SELECT * FROM address") }
            #expect(error.message.contains("no column \"country\""))
        }
    }

    /// The readers' connections learn of the change at the statement's next step.
    @Test func aTableThatGrewUnderAReader() async throws {
        let store = try await Self.makeStore()
        let query: SQL = "SELECT * FROM address"
        #expect(try await store.read { db in try db.fetch(Address.self, query) } == [Self.bonn])
        try await store.write { db in
            try db.execute("DROP TABLE address")
            try db.execute("CREATE TABLE address (country TEXT, street TEXT, city TEXT)")
            try db.execute("ALTER TABLE address ADD COLUMN note TEXT DEFAULT 'n'")
            try db.execute("INSERT INTO address (city, country, street) VALUES ('Bonn', 'DE', 'Markt')")
        }
        #expect(try await store.read { db in try db.fetch(Address.self, query) } == [Self.bonn])
    }

    @Test func oneTextIsReadAsTwoRecords() async throws {
        try await Self.makeStore().read { db in
            let query: SQL = "SELECT * FROM address"
            for _ in 1...2 {
                let addresses = try db.fetch(Address.self, query)
                let cities = try db.fetch(City.self, query)
                #expect(addresses == [Self.bonn] && cities == [City("Bonn", "Markt")])
            }
        }
    }

    @Test func everyKindOfValueIsFoundInAnotherOrder() async throws {
        let store = try await TemporaryStore().store
        let found = try await store.read { db in
            try db.fetch(Values.self, "SELECT NULL AS n, x'01' AS b, 'x' AS t, 0.5 AS r, 7 AS i")
        }
        #expect(found.map(\.all) == [[.integer(7), .real(0.5), .text("x"), .blob([1]), .null]])
        let error = try await expectFailure(.typeMismatch) {
            try await store.read { db in try db.fetch(City.self, "SELECT 'Markt' AS street, 5 AS city") }
        }
        #expect(error.mismatch?.column == "city")
    }

    @Test func aColumnByItsNameIsTheOnlyOneOfThatName() async throws {
        try await Self.makeStore().read { db in
            try db.forEachRow("SELECT City, street FROM address") { row in
                let city: String = try row["city"]
                #expect(city == "Bonn")
            }
            for query in ["SELECT city, street AS City FROM address", "SELECT street FROM address"] {
                try expectFailure(.sql) {
                    try db.forEachRow(SQL(stringLiteral: query)) { row in
                        let _: String = try row["city"]
                    }
                }
            }
        }
    }
}

struct ReadingSQLTests {
    @Test func rowsComeOneAtATimeByPlaceAndByName() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        let seen = try await store.read { db in
            var seen: [String] = []
            try db.forEachRow("SELECT id, name AS label, phone FROM contact WHERE id > \(1) ORDER BY id") { row in
                let id: Int64 = try row[0]
                let label: String = try row["label"]
                let phone: String? = try row["phone"]
                #expect(row.count == 3)
                #expect(row.name(at: 1) == "label")
                seen.append("\(id) \(label) \(phone ?? "-")")
            }
            return seen
        }
        #expect(seen == ["2 Contact 2 +49 30 2", "3 Contact 3 -"])
    }

    @Test func aValueIsTheFirstColumnOfTheFirstRowOrNil() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        try await store.read { db in
            let first: Int64? = try db.value("SELECT id, name FROM contact ORDER BY id DESC")
            #expect(first == 3)
            let none = try db.value("SELECT id FROM contact WHERE id = \(99)", as: Int64.self)
            #expect(none == nil)
            let null = try db.value("SELECT phone FROM contact WHERE id = 1", as: String?.self)
            #expect(null == .some(.none))
            try expectFailure(.typeMismatch) { try db.value("SELECT phone FROM contact WHERE id = 1", as: String.self) }
        }
    }

    /// An error while rows are read is an error, not the end of the rows.
    @Test func anErrorHalfwayThroughIsNotTheEndOfTheData() async throws {
        try await TemporaryStore().store.read { db in
            var rows = 0
            let query: SQL = "SELECT abs(column1) FROM (SELECT 1 AS column1 UNION ALL SELECT -9223372036854775807 - 1)"
            try expectFailure(.limit) { try db.forEachRow(query) { _ in rows += 1 } }
            #expect(rows == 1)
        }
    }
}

@Suite("Rows as dictionaries")
struct DictionaryRowsTests {
    private let query: SQL = "SELECT name, score AS points, phone, photo, id > 1 AS late FROM contact ORDER BY id"

    @Test func eachColumnIsNamed() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(contentsOf: Contact.samples(2), in: db)
            let rows = try db.dictionaries(query)
            #expect(
                rows == [
                    ["name": "Contact 1", "points": 0.25, "phone": .null, "photo": .blob([1, 0, 255]), "late": 0],
                    ["name": "Contact 2", "points": 0.5, "phone": "+49 30 2", "photo": .blob([2, 0, 255]), "late": 1],
                ])
            #expect(try db.dictionary(query) == rows[0])
            let none = 7
            #expect(try db.dictionaries("SELECT name FROM contact WHERE id > \(none)") == [])
            #expect(try db.dictionary("SELECT name FROM contact WHERE id > \(none)") == nil)
            #expect(try db.dictionaries("UPDATE contact SET name = 'x' WHERE id = 1") == [])
            #expect(try db.dictionary("SELECT name FROM contact WHERE id = 1") == ["name": "x"])
        }
        #expect(
            try await store.read { db in try db.dictionaries("SELECT id FROM contact ORDER BY id") } == [
                ["id": 1], ["id": 2],
            ])
    }

    @Test func aNameThatOccursTwiceIsToldAlsoWithoutRows() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.read { db in
            let error = try expectFailure(.sql) {
                try db.dictionaries("SELECT a.id, b.name, b.id FROM contact a JOIN contact b")
            }
            #expect(
                error.message == """
                    The query returns two columns with the name "id", and a dictionary has one value for each name; \
                    name one of them differently, with AS.
                    """)
            #expect(error.sql == "SELECT a.id, b.name, b.id FROM contact a JOIN contact b")
            try expectFailure(.sql) { try db.dictionary("SELECT 1 AS x, 2 AS x") }
            #expect(try db.dictionary("SELECT 1 AS x, 2 AS X") == ["x": 1, "X": 2])
            try expectFailure(.sql) { try db.dictionaries("SELECT nothing") }
            try expectFailure(.readOnly) { try db.dictionaries("DELETE FROM contact") }
        }
    }

    @Test func aColumnAddedMeanwhileIsNamed() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(Contact(), in: db)
            #expect(try db.dictionary("SELECT * FROM contact")?.count == 6)
        }
        try await store.write { db in try db.execute("ALTER TABLE contact ADD COLUMN age INTEGER DEFAULT 36") }
        try await store.write { db in
            let row = try db.dictionary("SELECT * FROM contact")
            #expect(row?.count == 7 && row?["age"]?.int == 36)
        }
    }

    @Test func whatAValueHolds() {
        let values: [SQLValue] = [.null, 1, 0, 7, 1.5, "7", .blob([7])]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.int) == [nil, 1, 0, 7, nil, nil, nil])
        #expect(values.map(\.double) == [nil, 1, 0, 7, 1.5, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, nil, "7", nil])
        #expect(values.map(\.bytes) == [nil, nil, nil, nil, nil, nil, [7]])
        #expect(values.map(\.bool) == [nil, true, false, nil, nil, nil, nil])
    }
}
