import Strongroom
import StrongroomTesting
import Testing

// CTPersistance, "schema and status"; beyond it: what needs a column keeps it from being dropped.
struct DropColumnTests {
    @Test(arguments: [
        ("CREATE INDEX plain ON t (b)", "index \"plain\""),
        ("CREATE INDEX part ON t (a) WHERE b > 1", "index \"part\""),
        ("CREATE INDEX computed ON t (a, abs(\"B\"))", "index \"computed\""),
        ("CREATE VIEW sight AS SELECT a, b FROM t", "view \"sight\""),
        ("CREATE VIEW sight AS SELECT a, \"b\" FROM t", "view \"sight\""),
        ("CREATE TRIGGER watch AFTER INSERT ON t BEGIN DELETE FROM other WHERE x = new.b; END", "trigger \"watch\""),
        ("CREATE TRIGGER watch AFTER UPDATE OF b ON t BEGIN DELETE FROM other; END", "trigger \"watch\""),
        ("CREATE TRIGGER afar AFTER DELETE ON other BEGIN UPDATE t SET b = 1; END", "trigger \"afar\""),
        ("CREATE TABLE child (x REFERENCES t(b))", "a foreign key of table \"child\" (column \"x\")"),
    ])
    func aColumnInUseStays(sql: String, user: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a, b INTEGER UNIQUE, c)")
            try db.execute("CREATE TABLE other (x)")
            try db.execute("INSERT INTO t VALUES (1, 2, 3)")
            try db.execute(SQL(stringLiteral: sql))
            try expectFailure(.schemaChange, saying: "is needed by \(user)") { try db.dropColumn("b", from: "t") }
            #expect(try db.value("SELECT b FROM t", as: Int.self) == 2)
            #expect(try db.columns(of: "t").count == 3)
            try db.dropColumn("c", from: "t")
            #expect(try db.value("SELECT a + b FROM t", as: Int.self) == 3)
            #expect(try db.value("PRAGMA integrity_check", as: String.self) == "ok")
        }
    }

    @Test func aColumnThatIsUsedThroughViewsStays() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a, b, c)")
            try db.execute("INSERT INTO t VALUES (1, 2, 3)")
            try db.execute("CREATE VIEW one AS SELECT * FROM t")
            try db.execute("CREATE VIEW two AS SELECT * FROM one")
            try db.execute("CREATE VIEW three AS SELECT \"b\" FROM two")
            try db.execute("CREATE TRIGGER watch INSTEAD OF UPDATE OF b ON two BEGIN SELECT 1; END")
            let error = try expectFailure(.schemaChange) { try db.dropColumn("b", from: "t") }
            #expect(error.message.contains("is needed by view \"three\", trigger \"watch\""), "\(error)")
            #expect(try db.value("SELECT b FROM three", as: Int.self) == 2)
            try db.dropColumn("c", from: "t")
            #expect(try db.columns(of: "two").map(\.name) == ["a", "b"])
        }
    }

    @Test func anotherColumnOfTheSameNameKeepsNothingInPlace() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a, b)")
            try db.execute("INSERT INTO t VALUES (1, 2)")
            try db.execute("CREATE VIEW alias AS SELECT a AS b FROM t")
            try db.execute("CREATE VIEW reader AS SELECT \"b\" FROM alias")
            try db.dropColumn("b", from: "t")
            #expect(try db.value("SELECT b FROM reader", as: Int.self) == 1)
        }
    }

    @Test(arguments: [
        ("CREATE TABLE t (a CHECK (a < b), b, c)", "column \"a\""),
        ("CREATE TABLE t (a, b, c INT, CHECK (t.b > 0))", "CHECK (t.b > 0)"),
        ("CREATE TABLE t (a, b, c, UNIQUE (c, b))", "UNIQUE (c, b)"),
        ("CREATE TABLE t (a, b, FOREIGN KEY (b) REFERENCES t (a))", "FOREIGN KEY (b)"),
        ("CREATE TABLE t (a, b, c, PRIMARY KEY (b, c))", "primary key"),
        ("CREATE TABLE t (b)", "the only one"), ("CREATE TABLE t (a REFERENCES t (b), b UNIQUE)", "column \"a\""),
    ])
    func aColumnThatItsTableNeedsStays(sql: String, need: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute(SQL(stringLiteral: sql))
            try expectFailure(.schemaChange, saying: need) { try db.dropColumn("b", from: "t") }
            try expectFailure(.sql) { try db.dropColumn("nowhere", from: "t") }
            try expectFailure(.sql) { try db.dropColumn("b", from: "nowhere") }
        }
    }

    @Test func rowIDsAreKeptWithoutAKeyOfOnesOwn() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (rowid TEXT, b, c)")
            try db.execute(
                "INSERT INTO t (_rowid_, b, c) VALUES (7, 'x', NULL), (-3, 'y', x'00'), (1000000000000, NULL, 1.5)")
            try db.dropColumn("b", from: "t")
            let ids = try db.value(
                "SELECT group_concat(i) FROM (SELECT _rowid_ AS i FROM t ORDER BY 1)", as: String.self)
            #expect(ids == "-3,7,1000000000000")
        }
    }

    @Test func tablesOfEveryKindAreMadeAnew() async throws {
        let features = try EngineFeatures.current()
        var tables = [
            "CREATE TABLE t (a TEXT PRIMARY KEY, b, c) WITHOUT ROWID",
            "CREATE TABLE t AS SELECT 'k' AS a, 1 AS b, 2 AS c LIMIT 0",
        ]
        if features.hasStrictTables { tables.append("CREATE TABLE t (a TEXT PRIMARY KEY, b INT, c ANY) STRICT") }
        if features.hasGeneratedColumns {
            tables.append("CREATE TABLE t (a TEXT, b, c, d AS (a || c) STORED, e GENERATED ALWAYS AS (d || 1) UNIQUE)")
        }
        for table in tables {
            try await TemporaryStore().store.write { db in
                try db.execute(SQL(stringLiteral: table))
                try db.execute("INSERT INTO t (a, b, c) VALUES ('k', 1, 2)")
                let options = try db.value(
                    "SELECT substr(sql, -14) FROM sqlite_master WHERE name = 't'", as: String.self)
                try db.dropColumn("b", from: "t")
                try db.addColumn(Column<String?>("u", unique: true), to: "t")
                #expect(try db.value("SELECT a || c FROM t", as: String.self) == "k2")
                if table.contains("STORED") {
                    #expect(try db.value("SELECT d || e FROM t", as: String.self) == "k2k21")
                }
                let sql = try db.value("SELECT sql FROM sqlite_master WHERE name = 't'", as: String.self) ?? ""
                if table.hasSuffix("ROWID") || table.hasSuffix("STRICT") {
                    #expect(sql.hasSuffix(options?.suffix(6) ?? "?"))
                }
                #expect(try db.value("PRAGMA integrity_check", as: String.self) == "ok")
            }
        }
    }

    /// Two views whose names differ only in how a letter is composed are two: one that was broken before says nothing
    /// of the other one.
    @Test func aViewOfAComposedNameIsFoundBroken() async throws {
        try await TemporaryStore().store.write { db in
            for sql: SQL in [
                "CREATE TABLE t (a, b)", "CREATE TABLE gone (c)",
                "CREATE VIEW \(name: "v\u{e9}") AS SELECT c FROM gone",
                "CREATE VIEW \(name: "ve\u{301}") AS SELECT b FROM t", "DROP TABLE gone",
            ] { try db.execute(sql) }
            let error = try expectFailure(.schemaChange) { try db.dropColumn("b", from: "t") }
            #expect(error.message.unicodeScalars.contains("\u{301}"))
            #expect(try db.value("SELECT count(*) FROM \(name: "ve\u{301}")", as: Int.self) == 0)
        }
    }
}
