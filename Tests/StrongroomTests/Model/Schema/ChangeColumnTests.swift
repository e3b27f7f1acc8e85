import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// What becomes of the values of a column that is changed: they stay, are converted, or keep the column as it is.
struct ChangeColumnTests {
    /// The values of the changed column with their types.
    private static func values(_ db: borrowing some Reading & ~Copyable) throws -> [String] {
        try db.texts("SELECT typeof(a) || ' ' || quote(a) FROM t ORDER BY rowid")
    }

    @Test func aColumnOfAnyValueTakesEveryValueAsItIs() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.execute("INSERT INTO t VALUES ('é'), (x'c3a9'), (7), (1.5), (NULL)")
            let before = try Self.values(db)
            try db.changeColumn(Column<SQLValue>("a", unique: true), in: "t")
            #expect(try Self.values(db) == before)
            try db.changeColumn(Column<SQLValue?>("a", default: "none"), in: "t")
            #expect(try Self.values(db) == before)
            try db.changeColumn(Column<Setting?>("a"), in: "t")
            #expect(try Self.values(db) == before)
        }
    }

    @Test func aTextBecomesItsBytesAlsoWhereThereIsADefault() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a TEXT)")
            try db.execute("INSERT INTO t VALUES ('é'), (x'00ff'), (NULL)")
            try db.changeColumn(Column<[UInt8]>("a", default: [0]), in: "t")
            #expect(try Self.values(db) == ["blob X'C3A9'", "blob X'00FF'", "blob X'00'"])
        }
    }

    @Test(arguments: ["7", "1.5"]) func aNumberDoesNotBecomeBytes(number: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.execute(SQL(stringLiteral: "INSERT INTO t VALUES (\(number)), ('x')"))
            let before = try Self.values(db)
            let bytes: [any SchemaColumn] = [Column<[UInt8]?>("a"), Column<[UInt8]>("a", default: [0])]
            for column in bytes {
                let error = try expectFailure(.schemaChange) { try db.changeColumn(column, in: "t") }
                #expect(error.message.contains("1 row of table \"t\", column \"a\" contains what does not fit BLOB"))
                #expect(try Self.values(db) == before)
            }
        }
    }

    @Test(
        arguments: [
            9_223_372_036_854_775_807, 9_223_372_036_854_775_806, 9_223_372_036_854_775_296, -9_007_199_254_740_993,
            "1e309", "-1e309", "1e-400", "0012", "-007.5", " 12", "\n0012", "1.00000000000000000001",
        ] as [SQLValue])
    func aValueThatWouldBeAnotherNumberStays(value: SQLValue) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a \(SQL(stringLiteral: value.string == nil ? "INTEGER" : "TEXT")))")
            try db.execute("INSERT INTO t VALUES (\(value))")
            try expectFailure(.schemaChange, saying: "would change") {
                try db.changeColumn(Column<Double>("a"), in: "t")
            }
            #expect(try db.values("SELECT a FROM t", as: SQLValue.self) == [value])
        }
    }

    @Test(
        arguments: [
            (
                "TEXT", "('1.50'), ('0.25'), ('-0.5'), ('0'), ('0.000'), ('1e300'), ('1e-300'), ('-12')",
                [1.5, 0.25, -0.5, 0, 0, 1e300, 1e-300, -12]
            ),
            (
                "INTEGER", "(-9223372036854775807 - 1), (9223372036854774784), (9007199254740992)",
                [-0x1p63, 9_223_372_036_854_774_784, 0x1p53]
            ),
        ] as [(String, String, [Double])])
    func aValueThatIsTheSameNumberIsConverted(type: String, values: String, expected: [Double]) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE t (a \(type))"))
            try db.execute(SQL(stringLiteral: "INSERT INTO t VALUES \(values)"))
            try db.changeColumn(Column<Double>("a"), in: "t")
            #expect(try db.values("SELECT a FROM t ORDER BY rowid", as: Double.self) == expected)
        }
    }

    /// Something of the program's own that holds any value.
    private struct Setting: RawRepresentable, ColumnValue {
        var rawValue: SQLValue
    }

    /// By the column's own collation `12` and `12 ` are the same text.
    @Test func aTextWithSpacesAtItsEndDoesNotBecomeAnInteger() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a TEXT COLLATE RTRIM)")
            try db.execute("INSERT INTO t VALUES ('12 ')")
            try expectFailure(.schemaChange) { try db.changeColumn(Column<Int>("a"), in: "t") }
            #expect(try Self.values(db) == ["text '12 '"])
        }
    }

    @Test(arguments: ["IGNORE", "REPLACE", "FAIL", "ROLLBACK"])
    func aConflictClauseOfTheTableLosesNoRow(clause: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute(
                SQL(stringLiteral: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, UNIQUE (a) ON CONFLICT \(clause))"))
            try db.execute("INSERT INTO t VALUES (1, 'A@x'), (2, 'a@x')")
            let error = try expectFailure(.constraint) {
                try db.changeColumn(Column<String>("a", collation: .noCase), in: "t")
            }
            #expect(error.constraint?.kind == .unique)
            #expect(try Self.values(db) == ["text 'A@x'", "text 'a@x'"])
            // The table keeps its clause.
            try db.execute("DELETE FROM t WHERE id = 2")
            try db.changeColumn(Column<String>("a", collation: .noCase), in: "t")
            let sql = try db.value("SELECT sql FROM sqlite_master WHERE name = 't'", as: String.self)
            #expect(sql?.contains("ON CONFLICT \(clause)") == true)
        }
    }
}

@Suite("Columns that become decimals, or stop being ones")
struct ChangeDecimalTests {
    @Table("offer")
    struct Offer: Equatable {
        @Column(primaryKey: true) var id: Int64?
        var price: Decimal
    }

    private static func make(_ type: SQL, _ db: borrowing some Writing & ~Copyable) throws {
        try db.execute("CREATE TABLE journal (n)")
        try db.execute(
            """
            CREATE TABLE offer (id INTEGER PRIMARY KEY, price \(type) NOT NULL CHECK (CAST(price AS REAL) >= 0))
            """)
        try db.execute(
            "CREATE TRIGGER offer_changed AFTER UPDATE ON offer BEGIN INSERT INTO journal VALUES (old.id); END")
        try db.execute("INSERT INTO offer VALUES (1, 9), (2, 12), (3, 0), (4, '100')")
    }

    private static func expectNumbers(_ db: borrowing some Reading & ~Copyable) throws {
        #expect(try Offer.where { $0.price == 12 }.count(in: db) == 1)
        #expect(try Query<Offer>().order { $0.price.ascending }.fetch(in: db).map(\.price) == [0, 9, 12, 100])
        #expect(try db.texts("SELECT price FROM offer ORDER BY id") == ["p001:9", "p002:12", "0", "p003:100"])
        #expect(try db.value("SELECT count(*) FROM journal", as: Int.self) == 0)
    }

    @Test(arguments: ["INTEGER", "REAL", "TEXT", "NUMERIC", "", "VARCHAR(20)"])
    func aNumberOfAnyTypeBecomesADecimal(type: String) async throws {
        try await TemporaryStore().store.write { db throws in
            try Self.make(SQL(stringLiteral: type), db)
            try db.changeColumn(Column<Decimal>("price", check: "price >= '0'"), in: "offer")
            try Self.expectNumbers(db)
            // The new check is on, and the trigger.
            try expectFailure(.constraint) { try Offer.insert(Offer(id: nil, price: -1), in: db) }
            try Offer.update(Offer(id: 1, price: 10), in: db)
            #expect(try db.value("SELECT count(*) FROM journal", as: Int.self) == 1)
        }
    }

    @Test(arguments: ["INTEGER", "REAL", "VARCHAR(20)"])
    func anAutomaticMigratorConvertsANumberOfAnyType(type: String) async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.with(\.migrator, nil).write { db in try Self.make(SQL(stringLiteral: type), db) }
        let automatic = vault.with(\.migrator, .automatic(tables: [Offer.schema]))
        try await automatic.using { store in try await store.read { db in try Self.expectNumbers(db) } }
        let again = try await automatic.using { store in store.openReport.migration?.schemaChanges }
        #expect(again == [])
    }

    @Test func aCheckThatDoesNotHoldForTheNewFormNamesTheRows() async throws {
        try await TemporaryStore().store.write { db throws in
            try Self.make("TEXT", db)
            let error = try expectFailure(.constraint, saying: "violate it in table \"offer\": 3.") {
                try db.changeColumn(Column<Decimal>("price", check: "price > '0'"), in: "offer")
            }
            #expect(error.constraint?.kind == .check && error.constraint?.table == "offer")
            #expect(try db.texts("SELECT price FROM offer ORDER BY id") == ["9", "12", "0", "100"])
            // Nothing is left aside afterwards.
            try expectFailure(.constraint) { try db.execute("INSERT INTO offer VALUES (9, '-1')") }
        }
    }

    @Test(arguments: ["pear", "-none", "1,5", "p01:1", ""])
    func aTextThatIsNoNumberIsNamed(text: String) async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute("CREATE TABLE offer (id INTEGER PRIMARY KEY, price TEXT NOT NULL)")
            try db.execute("INSERT INTO offer VALUES (7, \(text))")
            let error = try expectFailure(.schemaChange) { try db.changeColumn(Column<Decimal>("price"), in: "offer") }
            #expect(error.message.contains("Row 7 of table \"offer\" has a value that is no decimal number"))
            #expect(error.message.contains("in column \"price\""), "\(error.message)")
            #expect(try db.texts("SELECT price FROM offer") == [text])
        }
    }

    @Test func aDecimalBecomesItsDigitsANumberOrStays() async throws {
        try await TemporaryStore(tables: [Offer.schema]).store.write { db throws in
            for price in [Decimal(12.5), -3, 0] { try Offer.insert(Offer(id: nil, price: price), in: db) }
            let error = try expectFailure(.schemaChange) { try db.changeColumn(Column<Int>("price"), in: "offer") }
            #expect(error.message.hasPrefix("In 1 row of table \"offer\""), "\(error.message)")
            try db.changeColumn(Column<Double>("price"), in: "offer")
            #expect(try db.texts("SELECT quote(price) FROM offer ORDER BY id") == ["12.5", "-3.0", "0.0"])
            try db.changeColumn(Column<Decimal>("price"), in: "offer")
            #expect(try Offer.where { $0.price == -3 }.count(in: db) == 1)
            try db.changeColumn(Column<String>("price"), in: "offer")
            #expect(try db.texts("SELECT price FROM offer ORDER BY id") == ["12.5", "-3", "0"])
        }
    }
}

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
