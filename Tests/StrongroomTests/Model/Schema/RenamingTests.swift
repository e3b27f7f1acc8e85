import Strongroom
import StrongroomTesting
import Testing

/// Views and triggers follow a renamed table, or it is not renamed, as before SQLite 3.25 with each that names it; none
/// gets another meaning.
struct RenamedTableTests {
    /// Each gives the same before and after table "a" is renamed, whatever else has that name.
    @Test(arguments: [
        "SELECT a FROM a", "SELECT a.a, b.a FROM a, b", "SELECT x.a FROM b, (a AS x JOIN b AS y ON x.a = y.a)",
        "SELECT a.a FROM b AS a", "SELECT a.a FROM b a ORDER BY a.a", "SELECT a AS a FROM main.a GROUP BY a",
        "SELECT a.a FROM (SELECT * FROM a) AS a", "SELECT count(*) FROM b WHERE b.a IN a",
        "SELECT a FROM b WHERE a IN (SELECT a FROM a WHERE a > 1)",
        "SELECT 'a' AS a FROM \"a\" LEFT JOIN [b] USING (a)", "WITH a AS (SELECT 7 AS a) SELECT a.a FROM a",
        "WITH x (a) AS (SELECT i FROM a), a (i) AS (SELECT 3) SELECT * FROM x, a",
        "WITH RECURSIVE n(a) AS (SELECT 1 UNION SELECT a + 1 FROM n WHERE a < 3) SELECT n.a FROM n JOIN a ON a.a = n.a",
        "SELECT 'a'.a FROM 'a'", "SELECT (SELECT count(*) FROM b AS 'a' WHERE a.a = 2) FROM a",
        "SELECT a FROM b UNION SELECT max(a, 2) FROM a", "SELECT (SELECT count(*) FROM a AS b WHERE b.a < A.a) FROM A",
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM b, a WHERE a.a = b.a) THEN 'a' END AS a /* FROM a */ FROM b -- a",
    ])
    func viewsFollowARenamedTable(query: String) async throws {
        try await TemporaryStore().store.write { db in
            for sql: SQL in [
                "CREATE TABLE a (a INTEGER)", "CREATE TABLE b (a INTEGER)", "INSERT INTO a VALUES (1), (2), (3)",
                "INSERT INTO b VALUES (2), (3), (4)", "CREATE VIEW sight AS \(SQL(stringLiteral: query))",
            ] { try db.execute(sql) }
            let before = try Self.sight(db)
            #expect(!before.isEmpty)
            do {
                try db.renameTable("a", to: "c d")
            } catch let error as StrongroomError where error.message.contains("error in view sight") {
                // SQLite 3.46 itself refuses some of them.
                #expect(try EngineFeatures.current().hasRenameColumn)
            } catch let error as StrongroomError where error.message.contains("view \"sight\" uses table \"a\"") {
                #expect(try !EngineFeatures.current().hasRenameColumn)
            }
            #expect(try Self.sight(db) == before)
        }
    }

    private static func sight(_ db: borrowing some Reading & ~Copyable) throws -> [SQLValue] {
        var rows: [SQLValue] = []
        try db.forEachRow("SELECT * FROM sight") { rows.append(try $0.value(at: 0)) }
        return rows
    }

    @Test(arguments: [
        "UPDATE a SET a = a + 1 WHERE a IN (SELECT a FROM a WHERE a.a = new.a)",
        "UPDATE OR IGNORE a SET a = (SELECT max(a) + 1 FROM a) WHERE a = new.a", "DELETE FROM a WHERE a = new.a",
        "INSERT INTO a (a) SELECT a + 1 FROM a WHERE a = new.a", "INSERT OR REPLACE INTO a SELECT a.a FROM b AS a",
        "REPLACE INTO a VALUES (new.a); SELECT a FROM a",
    ])
    func triggersFollowARenamedTable(body: String) async throws {
        try await TemporaryStore().store.write { db in
            for sql: SQL in [
                "CREATE TABLE a (a INTEGER)", "CREATE TABLE b (a INTEGER)",
                "CREATE TRIGGER a AFTER INSERT ON b BEGIN \(SQL(stringLiteral: body)); END",
            ] { try db.execute(sql) }
            let before = try Self.fired("a", db)
            #expect(before != "1,2")
            guard try EngineFeatures.current().hasRenameColumn else {
                let error = try expectFailure(.schemaChange) { try db.renameTable("a", to: "c d") }
                #expect(error.message.contains("trigger \"a\" uses table \"a\""))
                return
            }
            try db.renameTable("a", to: "c d")
            #expect(try Self.fired("c d", db) == before)
        }
    }

    /// The rows of a table that had 1 and 2 before the trigger was fired with 2.
    private static func fired(_ table: String, _ db: borrowing some Writing & ~Copyable) throws -> String? {
        for sql: SQL in [
            "DELETE FROM \(name: table)", "INSERT INTO \(name: table) VALUES (1), (2)", "DELETE FROM b",
            "INSERT INTO b VALUES (2)",
        ] { try db.execute(sql) }
        return try db.value("SELECT group_concat(a) FROM (SELECT a FROM \(name: table) ORDER BY a)")
    }

    /// A table with the name of a keyword is not found where the keyword stands.
    @Test(arguments: [
        "order", "group", "limit", "where", "left", "natural", "union", "join", "as", "on", "ignore", "with",
    ])
    func keywordsAreNoNames(name: String) async throws {
        try await TemporaryStore().store.write { db in
            for sql: SQL in [
                "CREATE TABLE \(name: name) (a INTEGER)", "INSERT INTO \(name: name) VALUES (1), (2)",
                "CREATE TABLE b (a INTEGER)", "INSERT INTO b VALUES (2), (3)",
                """
                CREATE VIEW sight AS WITH x AS (SELECT a FROM b)
                SELECT x.a FROM x LEFT JOIN \(name: name) AS o ON x.a = o.a NATURAL JOIN b WHERE x.a > 0 GROUP BY x.a
                UNION SELECT a FROM \(name: name) ORDER BY 1 LIMIT 9
                """,
                """
                CREATE TRIGGER t AFTER INSERT ON b
                BEGIN UPDATE OR IGNORE \(name: name) SET a = 7 WHERE a = new.a; END
                """,
            ] { try db.execute(sql) }
            let before = try Self.sight(db)
            #expect(before.count == 3)
            guard try EngineFeatures.current().hasRenameColumn else {
                try expectFailure(.schemaChange) { try db.renameTable(name, to: "other") }
                return
            }
            try db.renameTable(name, to: "other")
            #expect(try Self.sight(db) == before)
            try db.execute("INSERT INTO b VALUES (1)")
            #expect(try db.value("SELECT max(a) FROM other", as: Int.self) == 7)
        }
    }

    @Test(arguments: [
        "CREATE VIEW sight AS WITH person AS (SELECT 7 AS a) SELECT a.a FROM a",
        "CREATE VIEW sight AS SELECT a.a, (SELECT count(*) FROM b AS person WHERE person.a = a.a) FROM a",
        "CREATE TRIGGER t AFTER INSERT ON b BEGIN DELETE FROM a WHERE a IN (SELECT person.a FROM b person); END",
    ])
    func aNameThatHasAMeaningAlreadyIsRefused(sql: String) async throws {
        try await TemporaryStore().store.write { db in
            for sql: SQL in ["CREATE TABLE a (a)", "CREATE TABLE b (a)", SQL(stringLiteral: sql)] {
                try db.execute(sql)
            }
            try expectFailure(.schemaChange, saying: "another meaning") { try db.renameTable("a", to: "person") }
            if try EngineFeatures.current().hasRenameColumn { try db.renameTable("a", to: "human") }
        }
    }

    /// SQLite renames it there from 3.25 on.
    @Test func aTemporaryTriggerFollowsOrIsNamed() async throws {
        try await TemporaryStore().store.write { db in
            for sql: SQL in [
                "CREATE TABLE a (a)", "CREATE TABLE b (a)",
                "CREATE TEMP TRIGGER t AFTER INSERT ON main.b BEGIN INSERT INTO a VALUES (new.a); END",
            ] {
                try db.execute(sql)
            }
            if try EngineFeatures.current().hasRenameColumn {
                try db.renameTable("a", to: "c")
            } else {
                try expectFailure(.schemaChange, saying: "temporary") { try db.renameTable("a", to: "c") }
            }
            try db.execute("INSERT INTO b VALUES (1)")
        }
    }
}

@Suite("Columns that say what they were called before")
struct RenamedColumnsTests {
    private let vault = Vault(keys: .numbered(1))

    init() async throws {
        try await vault.with(\.migrator, nil).write { db in
            try db.execute("CREATE TABLE person (a TEXT, b TEXT, c TEXT)")
            try db.execute("CREATE INDEX by_b ON person (b)")
            try db.execute("INSERT INTO person VALUES ('1', '2', '3')")
        }
    }

    private static func schema(_ columns: (new: String, old: String?)...) -> TableSchema {
        TableSchema("person", columns: columns.map { Column<String?>($0.new, previously: $0.old).definition })
    }

    /// The pairs of names that an automatic migrator renames.
    private func adapt(_ schema: TableSchema) async throws -> [String] {
        try await vault.with(\.migrator, .automatic(tables: [schema])).using { store in
            (store.openReport.migration?.schemaChanges ?? []).map {
                $0.replacing("table \"person\": column ", with: "").replacing("\"", with: "")
            }
        }
    }

    /// The names of the columns, and the values of the row.
    private func person() async throws -> (names: [String], values: [String]) {
        try await vault.with(\.migrator, nil).read { db in
            let names = try db.columns(of: "person").map(\.name)
            return (names, try names.flatMap { try db.texts("SELECT \(name: $0) FROM person") })
        }
    }

    @Test func theyGetTheirNewNamesAndKeepTheirValues() async throws {
        let schema = Self.schema(("x", "A"), ("b", "unknown"), ("y", "c"))
        #expect(try await adapt(schema) == ["a renamed to x", "c renamed to y"])
        let person = try await person()
        #expect(person.names == ["x", "b", "y"] && person.values == ["1", "2", "3"])
        #expect(try await adapt(schema) == [])
    }

    @Test func oneMayTakeTheNameThatAnotherGivesUp() async throws {
        let changes = try await adapt(Self.schema(("b", "a"), ("d", "b"), ("C", "c")))
        #expect(Set(changes) == ["a renamed to b", "b renamed to d", "c renamed to C"])
        let person = try await person()
        #expect(person.names == ["b", "d", "C"] && person.values == ["1", "2", "3"])
        let indexed = try await vault.with(\.migrator, nil).read { db in
            try db.indexes(of: "person").flatMap(\.parts).map(\.column)
        }
        #expect(indexed == ["d"])
    }

    @Test func aDeclaredColumnWithTheFormerNameOfAnotherIsADifferentOne() async throws {
        #expect(try await adapt(Self.schema(("x", "a"), ("b", nil), ("c", "b"))) == ["a renamed to x"])
        #expect(try await person().names == ["x", "b", "c"])
    }

    @Test func twoColumnsOfOneNameAreRefusedAndNothingChanges() async throws {
        let schema = Self.schema(("x", "a"), ("c", "b"))
        try await expectFailure(.schemaChange, saying: "\"b\"", "\"c\"") {
            try await vault.with(\.migrator, .automatic(tables: [schema])).open()
        }
        #expect(try await person().names == ["a", "b", "c"])
    }
}
