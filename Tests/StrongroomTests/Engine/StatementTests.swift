import Strongroom
import StrongroomTesting
import Testing

/// A record that sets a column only when it feels like it.
private struct Forgetful: Table, Record {
    var id: Int64?
    var note: String?
    var remembers: Bool

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let note = Column<String?>("note")
    }

    static let columns = Columns()
    static let schema = TableSchema("forgetful", columns.id, columns.note)
    static func key(of record: Forgetful) -> Int64? { record.id }
    static func setKey(_ key: Int64, of record: inout Forgetful) { record.id = key }

    init(id: Int64? = nil, _ note: String?, remembers: Bool = true) {
        self.id = id
        self.note = note
        self.remembers = remembers
    }

    init(row: borrowing Row) throws {
        id = try row[0]
        note = try row[1]
        remembers = true
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        if remembers { try bindings.set(note, at: 1) }
    }
}

struct StatementTests {
    @Test func aColumnThatIsNotSetIsNullAndNotTheEarlierRowsValue() async throws {
        try await TemporaryStore(tables: [Forgetful.schema]).store.write { db in
            try Forgetful.insert(Forgetful("first"), in: db)
            try Forgetful.insert(Forgetful("lost", remembers: false), in: db)
            try Forgetful.insert(contentsOf: [Forgetful("third"), Forgetful("lost", remembers: false)], in: db)
            #expect(try Forgetful.all(in: db).map(\.note) == ["first", nil, "third", nil])
            try Forgetful.update(Forgetful(id: 1, "changed"), in: db)
            try Forgetful.update(Forgetful(id: 3, "lost", remembers: false), in: db)
            #expect(try Forgetful.all(in: db).map(\.note) == ["changed", nil, nil, nil])
        }
    }

    @Test func theSameSQLCanBeNestedInItself() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(6), in: db) }
        try await store.read { db in
            var pairs: [[Int64]] = []
            try db.forEachRow("SELECT id FROM contact WHERE id > \(0) ORDER BY id") { outer in
                let first: Int64 = try outer[0]
                try db.forEachRow("SELECT id FROM contact WHERE id > \(first) ORDER BY id") { inner in
                    pairs.append([first, try inner[0]])
                    try #require(pairs.count <= 15, "the outer query begins again and again")
                    #expect(try outer[0] == first, "the outer row stays where it is")
                }
            }
            let expected = (1...6).flatMap { first in (first + 1..<7).map { [Int64(first), Int64($0)] } }
            #expect(pairs == expected)
        }
    }

    @Test func rowsCanBeChangedWhileOthersAreRead() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(20), in: db) }
        try await store.write { db in
            try db.forEachRow("SELECT id FROM contact WHERE id <= 20 ORDER BY id") { row in
                let id: Int64 = try row[0]
                var contact = try #require(try Contact.find(id, in: db))
                contact.name = "changed"
                try Contact.update(contact, in: db)
                try Contact.insert(Contact(id: 100 + id, name: "new", email: "\(id)"), in: db)
                try Contact.delete(id, in: db)
            }
            #expect(try Contact.all(in: db).map(\.id) == (101...120).map { $0 })
        }
    }

    @Test func aQueryLeftHalfwayStartsFromTheBeginningNextTime() async throws {
        struct Stop: Error {}
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(5), in: db) }
        try await store.write { db in
            for _ in 1...3 {
                var seen: [Int64] = []
                #expect(throws: Stop.self) {
                    try db.forEachRow("SELECT id FROM contact ORDER BY id") { row in
                        seen.append(try row[0])
                        if seen.count == 2 { throw Stop() }
                    }
                }
                #expect(seen == [1, 2])
                #expect(try db.value("SELECT id FROM contact ORDER BY id DESC", as: Int64.self) == 5)
            }
            // A statement that still stood on a row would lock the table.
            try db.dropTable("contact")
        }
    }

    @Test func moreStatementsThanAreKeptAllWork() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        try await store.read { db in
            var sum = 0
            try db.forEachRow("SELECT id FROM contact ORDER BY id") { row in
                let id: Int = try row[0]
                for number in 0..<700 {
                    let query: SQL = "SELECT \(id) + \(SQL(stringLiteral: "\(number)"))"
                    sum += try #require(try db.value(query, as: Int.self))
                }
            }
            #expect(sum == (1...3).map { 700 * $0 + 699 * 350 }.reduce(0, +))
            #expect(try Contact.count(in: db) == 3)
        }
    }

    /// Swift takes the two literals for equal strings; to the engine they are two statements.
    @Test func statementsThatDifferOnlyInCompositionAreDifferentStatements() async throws {
        try await TemporaryStore().store.read { db in
            let composed = try db.value("SELECT length('\u{E9}')", as: Int.self)
            let decomposed = try db.value("SELECT length('e\u{301}')", as: Int.self)
            #expect(composed == 1)
            #expect(decomposed == 2)
        }
    }

    @Test func aCachedStatementFollowsTheSchema() async throws {
        try await TemporaryStore(tables: [Cell<Int64>.schema]).store.write { db in
            try Cell.insert(Cell(Int64(1)), in: db)
            try db.forEachRow("SELECT * FROM cell") { #expect($0.count == 2) }
            try db.addColumn(Column<String>("note", default: "new"), to: "cell")
            try db.forEachRow("SELECT * FROM cell") { row in
                let note: String = try row["note"]
                #expect(row.count == 3)
                #expect(note == "new")
            }
            try Cell.insert(Cell(Int64(2)), in: db)
            try db.dropTable("cell")
            try expectFailure(.sql) { try Cell.insert(Cell(Int64(3)), in: db) }
            try db.createTable(Cell<Int64>.schema)
            try Cell.insert(Cell(Int64(4)), in: db)
            #expect(try Cell<Int64>.all(in: db).map(\.content) == [4])
        }
    }
}

struct AcceptedSQLTests {
    @Test(arguments: [
        "DELETE FROM contact; DELETE FROM contact", "SELECT 1; SELECT 2", "DELETE FROM contact;;x",
        "SELECT 1;\tSELECT 2", "SELECT 1; BEGIN",
    ])
    func severalStatementsInOneAreRefusedAndNoneRuns(sql: String) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(), in: db)
            try expectFailure(.sql, saying: "one") { try db.execute(SQL(stringLiteral: sql)) }
            try expectFailure(.sql) { try db.forEachRow(SQL(stringLiteral: sql)) { _ in } }
            #expect(try Contact.count(in: db) == 1)
        }
    }

    @Test func whatStandsAfterANulInSQLIsNotIgnored() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(), in: db)
            for sql: SQL in ["DELETE FROM contact\0 WHERE id = 2", "DELETE FROM contact;\0", "\0DELETE FROM contact"] {
                try expectFailure(.sql) { try db.execute(sql) }
            }
            #expect(try Contact.count(in: db) == 1)
        }
    }

    @Test(arguments: ["SELECT 1;", " SELECT 1 ; \n\t;; ", "SELECT 1 -- a comment", "/* first */ SELECT 1"])
    func spaceAndSemicolonsAroundOneStatementAreFree(sql: String) async throws {
        let store = try await TemporaryStore().store
        #expect(try await store.read { db in try db.value(SQL(stringLiteral: sql), as: Int.self) } == 1)
    }

    @Test(arguments: ["", " ", "\n", ";", ";;", "-- nothing", "/* nothing */"])
    func emptySQLIsRefused(sql: String) async throws {
        try await TemporaryStore().store.write { db in
            try expectFailure(.sql, saying: "empty") { try db.execute(SQL(stringLiteral: sql)) }
        }
    }

    @Test func aWrongNumberOfValuesIsRefusedAndTheStatementStaysUsable() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            for sql: SQL in ["SELECT ?", "SELECT ?1 + \(1)", "SELECT :name", "SELECT ?3"] {
                try expectFailure(.sql, saying: "parameter") { try db.value(sql, as: Int?.self) }
            }
            try Contact.insert(Contact(), in: db)
            try expectFailure(.sql) { try db.execute("DELETE FROM contact WHERE id = ?") }
            #expect(try Contact.count(in: db) == 1)
            try expectFailure(.sql) { try db.execute("DELETE FROM contact WHERE id = ? OR id = \(1)") }
            #expect(try db.execute("DELETE FROM contact WHERE id = \(1)") == 1)
        }
    }

    @Test func aSyntaxErrorTellsTheSQLAndNoValue() async throws {
        try await TemporaryStore().store.write { db in
            let error = try expectFailure(.sql) { try db.execute("SELEKT \("secret") FROM t WHERE a = \(4711)") }
            #expect(error.sql == "SELEKT ? FROM t WHERE a = ?")
            #expect(error.message.contains("SELEKT"))
            #expect(error.resultCode?.primary == 1)
            #expect(error.database == "temporary.sqlite")
            #expect(!"\(error)".contains("secret") && !"\(error)".contains("4711"))
        }
    }

    @Test func theNumberOfChangedRowsIsTheStatementsOwn() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: Contact.samples(5), in: db)
            #expect(try db.execute("UPDATE contact SET score = 1 WHERE id <= 3") == 3)
            #expect(try db.execute("UPDATE contact SET score = 1 WHERE id > 99") == 0)
            #expect(try db.execute("CREATE TABLE other (id)") == 0)
            #expect(try db.execute("SELECT 1") == 0)
            #expect(try db.execute("INSERT INTO other SELECT id FROM contact") == 5)
            #expect(try db.execute("DROP TABLE other") == 0)
            #expect(try db.execute("DELETE FROM contact") == 5)
        }
    }

    @Test func writingSQLInAReadIsRefused() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(Contact(), in: db) }
        try await store.read { db in
            for sql: SQL in [
                "DELETE FROM contact", "INSERT INTO contact (name) VALUES ('x')", "DROP TABLE contact",
                "CREATE TABLE t (a)",
                "PRAGMA user_version = 3",
            ] {
                try expectFailure(.readOnly) { try db.forEachRow(sql) { _ in } }
            }
            #expect(try Contact.count(in: db) == 1)
        }
    }
}
