import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Migrations of decimals")
struct DecimalMigrationTests {
    private let vault = Vault(keys: .numbered(1))

    private static let id = Column<Int64>("id", primaryKey: true)

    private func make(_ statements: SQL...) async throws {
        let all = statements
        try await vault.with(\.migrator, nil).write { db throws in for statement in all { try db.execute(statement) } }
    }

    private func texts(_ sql: SQL) async throws -> [String] {
        try await vault.with(\.migrator, nil).using { store in try await store.read { db in try db.texts(sql) } }
    }

    private func migrate(_ steps: Migration.Step...) async throws {
        let migrations = steps.enumerated().map { Migration("\($0 + 1)", $1) }
        try await vault.with(\.migrator, Migrator { migrations }).using { _ in }
    }

    private static let offer: SQL = "CREATE TABLE offer (id INTEGER PRIMARY KEY, price TEXT NOT NULL)"

    @Test func aTableOfOnesOwnSQLIsConverted() async throws {
        try await migrate { db throws in
            try db.execute("CREATE TABLE offer (price TEXT, tip TEXT, name TEXT)")
            try db.execute("INSERT INTO offer VALUES ('12.50', '9', '1.0'), ('9', NULL, 'x')")
            try db.changeColumn(Column<Decimal?>("PRICE"), in: "Offer")
            try db.changeColumn(Column<Decimal?>("tip"), in: "offer")
            try db.changeColumn(Column<Decimal?>("price"), in: "offer")
            #expect(try db.value("SELECT name FROM offer WHERE price = \(Decimal(12.5))", as: String.self) == "1.0")
            #expect(try db.columns(of: "offer").map(\.declaredType) == ["DECIMAL_TEXT", "DECIMAL_TEXT", "TEXT"])
            try expectFailure(.sql, saying: "no such column: cost") {
                try db.changeColumn(Column<Decimal?>("cost"), in: "offer")
            }
            try expectFailure(.sql) { try db.changeColumn(Column<Decimal?>("cost"), in: "nowhere") }
            try expectFailure(.schemaChange) { try db.changeColumn(Column<Decimal?>("name"), in: "offer") }
        }
        #expect(try await texts("SELECT price FROM offer ORDER BY price") == ["p001:9", "p002:12.5"])
    }

    @Table("offer")
    struct Narrow {
        @Column(primaryKey: true) var id: Int64?
        var price: Decimal
    }

    /// The fingerprint that 0.1.0 recorded for the table, whose column was `TEXT NOT NULL DEFAULT '1.5'` then.
    private static let recorded = "de3e344f45c49b144eacb1df736f7cc6d410a32919f6b373fdb10af0bfeea368"

    @Test func aFileOfAnOlderVersionHasBeenThroughTheSameSteps() async throws {
        let schema = TableSchema("offer", Self.id, Column<Decimal>("price", default: 1.5))
        let step = Migration("1") { db in try db.createTable(schema) }
        try await vault.with(\.migrator, Migrator { step }).using { _ in }
        #expect(try await texts("SELECT fingerprint FROM strongroom_migrations") == [Self.recorded])
        let old: SQL = """
            CREATE TABLE "offer" ("id" INTEGER PRIMARY KEY, "price" TEXT NOT NULL DEFAULT '1.5')
            """
        let written = Migration("1") { db in try db.execute(old) }
        try await vault.with(\.migrator, Migrator { written }.whenChanged(.refuse)).using { _ in }
    }

    @Test func anAddedColumnOfDecimalsIsTheSameStepAsBefore() async throws {
        func migrator(_ column: any SchemaColumn) -> Migrator {
            Migrator {
                Migration("1") { db in try db.execute("CREATE TABLE offer (id INTEGER PRIMARY KEY)") }
                Migration("2") { db in try db.addColumn(column, to: "offer") }
            }.whenChanged(.refuse)
        }
        // A column of texts has today what one of decimals had then.
        let old = migrator(Column<String>("price", default: "1.5"))
        try await vault.with(\.migrator, old).using { _ in }
        try await vault.with(\.migrator, migrator(Column<Decimal>("price", default: 1.5))).using { _ in }
    }

    @Test func aChangeIsNotHeldToTheCheckOfTheDigits() async throws {
        try await make(
            "CREATE TABLE offer (id INTEGER PRIMARY KEY, price TEXT NOT NULL CHECK (CAST(price AS REAL) > 0))",
            "INSERT INTO offer VALUES (1, '12.50'), (5, '9')")
        let price = Column<Decimal>("price", check: "CAST(price AS REAL) > 0")
        try await expectFailure(.migrationFailed, saying: "(CAST(price AS REAL) > 0)", "in table \"offer\": 1, 5.") {
            try await migrate { db in try db.changeColumn(price, in: "offer") }
        }
        #expect(try await texts("SELECT price FROM offer ORDER BY id") == ["12.50", "9"])
        try await migrate { db in try db.changeColumn(Column<Decimal>("price", check: "price > '0'"), in: "offer") }
        #expect(try await texts("SELECT price FROM offer ORDER BY id") == ["p002:12.5", "p001:9"])
    }

    @Test func anAutomaticConversionIsNotHeldToTheChecksOfTheDigits() async throws {
        try await make(
            """
            CREATE TABLE offer (id INTEGER PRIMARY KEY, tip TEXT CHECK (tip IS NULL OR offer.tip GLOB '[0-9]*'),
                price TEXT NOT NULL CHECK (CAST(price AS REAL) > 0))
            """,
            "INSERT INTO offer VALUES (1, '2.0', '12.50'), (2, NULL, '9')")
        let schema = TableSchema(
            "offer", Self.id, Column<Decimal?>("tip"), Column<Decimal>("price", check: "price > '0'"))
        let automatic = vault.with(\.migrator, .automatic(tables: [schema]))
        try await automatic.using { _ in }
        #expect(try await texts("SELECT price FROM offer ORDER BY price") == ["p001:9", "p002:12.5"])
        #expect(try await automatic.using { store in store.openReport.migration?.schemaChanges } == [])
        try await vault.with(\.migrator, nil).write { db in
            try expectFailure(.constraint) { try db.execute("INSERT INTO offer VALUES (3, NULL, '-n998:8~-1')") }
        }
    }

    @Test func aKeyIsNotLookedForInATableOfDigits() async throws {
        let old = Migration("1") { db throws in
            try db.execute(Self.offer)
            try db.execute("INSERT INTO offer VALUES (1, '12.50'), (2, '9')")
        }
        try await vault.with(\.migrator, Migrator { old }).write { db throws in
            try expectFailure(.tableDiffers) { try Narrow.find(1, in: db) }
            try expectFailure(.tableDiffers) { try Narrow.find(7, in: db) }
            try expectFailure(.tableDiffers) { try Narrow.delete(2, in: db) }
        }
        let new = Migration("2") { db in try db.changeColumn(Narrow.columns.price, in: "offer") }
        try await vault.with(
            \.migrator,
            Migrator {
                old; new
            }
        ).write { db throws in
            #expect(try Narrow.find(1, in: db)?.price == 12.5)
            #expect(try Narrow.delete(2, in: db))
        }
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns, "the engine knows no generated columns"))
    func aGeneratedColumnFollowsTheOneThatItIsComputedFrom() async throws {
        let schema = TableSchema(
            "offer", Self.id, Column<Decimal?>("copy", generated: .virtual("price")),
            Column<Decimal?>("kept", generated: .stored("price")), Column<Decimal>("price"))
        let old: SQL = """
            CREATE TABLE offer (id INTEGER PRIMARY KEY, copy TEXT GENERATED ALWAYS AS (price) VIRTUAL,
                kept TEXT GENERATED ALWAYS AS (price) STORED, price TEXT NOT NULL)
            """
        try await make(old, "INSERT INTO offer (id, price) VALUES (1, '12.50'), (2, '9')")
        try await vault.with(\.migrator, .automatic(tables: [schema])).using { _ in }
        #expect(try await texts("SELECT copy || ' ' || kept FROM offer") == ["p002:12.5 p002:12.5", "p001:9 p001:9"])
    }
}

@Suite("Columns that become scaled decimals, or stop being ones")
struct ScaledMigrationTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)) }

    @Table("offer")
    struct Offer: Equatable {
        @Column(primaryKey: true) var id: Int64?
        @Column(scale: 2, indexed: true) var price: Decimal
        @Column(scale: 2) var tip: Decimal?
    }

    /// The same numbers in columns of some type; `12` is no more than the number 12.
    private static func make(_ type: String, _ db: borrowing some Writing & ~Copyable) throws {
        let prices = type == "DECIMAL_TEXT" ? ["p002:12.5", "-n998:6~-3", "0"] : ["12.5", "-3", "0.00"]
        try db.execute("CREATE TABLE journal (n)")
        let columns = "id INTEGER PRIMARY KEY, price \(type) NOT NULL UNIQUE, tip \(type)"
        try db.execute(SQL(stringLiteral: "CREATE TABLE offer (\(columns))"))
        try db.execute("CREATE INDEX offer_price ON offer (price)")
        try db.execute("CREATE TRIGGER changed AFTER UPDATE ON offer BEGIN INSERT INTO journal VALUES (old.id); END")
        for (index, price) in prices.enumerated() {
            try db.execute("INSERT INTO offer VALUES (\(index + 1), \(price), NULL)")
        }
    }

    private static let types = [
        "DECIMAL_TEXT", "TEXT", "VARCHAR(20)", "REAL", "NUMERIC(10, 2)", "DOUBLE PRECISION", "",
    ]

    private static func expectNumbers(_ db: borrowing some Reading & ~Copyable) throws {
        #expect(try Offer.order { $0.price.ascending }.fetch(in: db).map(\.price) == [-3, 0, 12.5])
        #expect(try Offer.query.value(in: db) { $0.price.sum() } == 9.5)
        let stored = try db.texts("SELECT typeof(price) || price FROM offer ORDER BY id")
        #expect(stored == ["integer1250", "integer-300", "integer0"])
        #expect(try db.value("SELECT count(*) FROM journal", as: Int.self) == 0)
        #expect(try db.columns(of: "offer")[1].declaredType == "DECIMAL_INTEGER(2)")
    }

    @Test(arguments: types)
    func numbersOfAnyTypeAreConverted(type: String) async throws {
        let steps = Migrator {
            Migration("1") { db in try Self.make(type, db) }
            Migration("2") { db throws in
                try db.changeColumn(Column<Decimal>("price", scale: 2, unique: true, indexed: true), in: "offer")
                try db.changeColumn(Offer.columns.tip, in: "offer")
            }
        }
        try await vault.with(\.migrator, steps).write { db throws in
            try Self.expectNumbers(db)
            // The constraint, the index and the trigger are there.
            try expectFailure(.constraint) { try Offer.insert(Offer(price: 12.5), in: db) }
            try Offer.update(Offer(id: 1, price: 10), in: db)
            #expect(try db.value("SELECT count(*) FROM journal", as: Int.self) == 1)
            let index: SQL = "SELECT count(*) FROM sqlite_master WHERE name = 'offer_price'"
            #expect(try db.value(index, as: Int.self) == 1)
        }
    }

    @Test(arguments: types)
    func anAutomaticMigratorConvertsThem(type: String) async throws {
        try await vault.with(\.migrator, nil).write { db in try Self.make(type, db) }
        let automatic = vault.with(\.migrator, .automatic(tables: [Offer.schema]))
        try await automatic.using { store in try await store.read { db in try Self.expectNumbers(db) } }
        let again = try await automatic.using { store in store.openReport.migration?.schemaChanges }
        #expect(again == [])
    }

    private static let misfits: [(String, String)] = [
        ("'1.005'", "more than 2 digits"), ("'1,5'", "no decimal number"), ("x'01'", "bytes"),
        ("'92233720368547758.08'", "too large"), ("0.1 + 0.2", "floating-point number"),
        ("9223372036854775807", "too large"),
    ]

    @Test(arguments: misfits)
    func whatDoesNotFitIsNamedAndNothingIsChanged(value: String, words: String) async throws {
        let first = Migration("1") { db throws in
            try db.execute("CREATE TABLE offer (id INTEGER PRIMARY KEY, price, tip)")
            try db.execute(SQL(stringLiteral: "INSERT INTO offer VALUES (1, '5.5', NULL), (7, \(value), NULL)"))
        }
        try await vault.with(\.migrator, Migrator { first }).using { _ in }
        let second = Migration("2") { db in try db.changeColumn(Offer.columns.price, in: "offer") }
        let steps = Migrator {
            first; second
        }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, steps).open() }
        #expect(error.message.contains("Row 7 contains") && error.message.contains(words), "\(error.message)")
        #expect(!error.message.contains("1.005") && !error.message.contains("775808"))
        let automatic = vault.with(\.migrator, .automatic(tables: [Offer.schema]))
        await #expect(throws: StrongroomError.self) { try await automatic.open() }
        try await vault.with(\.migrator, nil).write { db throws in
            #expect(try db.texts("SELECT price FROM offer WHERE id = 1") == ["5.5"])
            try expectFailure(.schemaChange) { try db.changeColumn(Offer.columns.price, in: "offer") }
            #expect(try db.columns(of: "offer")[1].declaredType == "")
        }
    }

    @Test func anotherScaleConvertsOrRefuses() async throws {
        let store = try await TemporaryStore(tables: [Offer.schema]).store
        let price = try exactly("12.5")
        try await store.write { db throws in
            try Offer.insert(Offer(id: 1, price: price, tip: nil), in: db)
            try Offer.insert(Offer(id: 2, price: -price, tip: 1), in: db)
            try db.changeColumn(Column<Decimal>("price", scale: 4), in: "offer")
            #expect(try db.texts("SELECT CAST(price AS TEXT) FROM offer ORDER BY id") == ["125000", "-125000"])
            try db.changeColumn(Column<Decimal>("price", scale: 1), in: "offer")
            #expect(try db.texts("SELECT CAST(price AS TEXT) FROM offer ORDER BY id") == ["125", "-125"])
            try expectFailure(.schemaChange, saying: "Row 1 contains a number with more than 0 digits") {
                try db.changeColumn(Column<Decimal>("price", scale: 0), in: "offer")
            }
            try expectFailure(.schemaChange) { try db.changeColumn(Column<Decimal>("price", scale: 18), in: "offer") }
            #expect(try db.columns(of: "offer")[1].declaredType == "DECIMAL_INTEGER(1)")
        }
    }

    @Test func scaledDecimalsBecomeTheNumbersThatTheyAre() async throws {
        let store = try await TemporaryStore(tables: [Offer.schema]).store
        let smallest = try exactly("-92233720368547758.08")
        try await store.write { db throws in
            for price in try [smallest, exactly("-0.05"), 0, exactly("0.5"), 100] {
                try Offer.insert(Offer(price: price), in: db)
            }
            try db.changeColumn(Column<Decimal>("price"), in: "offer")
            let texts = try db.texts("SELECT price FROM offer ORDER BY id")
            #expect(texts[1...] == ["-n999:9.94~-0.05", "0", "p000:0.5", "p003:100"])
            #expect(try db.value("SELECT price FROM offer WHERE id = 1", as: Decimal.self) == smallest)
            try db.changeColumn(Offer.columns.price, in: "offer")
            #expect(try Offer.find(1, in: db)?.price == smallest)
            try db.changeColumn(Column<String>("price"), in: "offer")
            #expect(
                try db.texts("SELECT price FROM offer ORDER BY id")
                    == ["-92233720368547758.08", "-0.05", "0", "0.5", "100"])
            try db.changeColumn(Offer.columns.price, in: "offer")
            try expectFailure(.schemaChange) { try db.changeColumn(Column<Int>("price"), in: "offer") }
            try expectFailure(.schemaChange) { try db.changeColumn(Column<Double>("price"), in: "offer") }
            try Offer.delete(1, in: db)
            try db.changeColumn(Column<Double>("price"), in: "offer")
            #expect(try db.value("SELECT sum(price) FROM offer", as: Double.self) == 100.45)
        }
    }

    @Test func aColumnOfCentsIsDividedInTheSameStep() async throws {
        let steps = Migrator {
            Migration("1") { db throws in
                try db.execute("CREATE TABLE offer (id INTEGER PRIMARY KEY, price INTEGER, tip INTEGER)")
                try db.execute("INSERT INTO offer VALUES (1, 1999, NULL), (2, -5, 100)")
                for name in ["price", "tip"] {
                    try db.changeColumn(Column<Decimal?>(name, scale: 2), in: "offer")
                }
                try db.execute("UPDATE offer SET price = price / 100, tip = tip / 100")
            }
        }
        try await vault.with(\.migrator, steps).using { store in
            let offers = try await store.read { db in try Offer.order { $0.id.ascending }.fetch(in: db) }
            #expect(try offers.map(\.price) == [exactly("19.99"), exactly("-0.05")])
            #expect(offers.map(\.tip) == [nil, 1])
        }
    }

    @Test func whatCannotBeConvertedSaysSo() async throws {
        let steps: [(StrongroomError.Code, Migration.Step)] = [
            (.schemaChange, { db in try db.changeColumn(Column<Decimal>("price", scale: 2), in: "offer") }),
            (.sql, { db in try db.changeColumn(Column<Decimal>("cost", scale: 2), in: "offer") }),
            (.sql, { db in try db.changeColumn(Column<Decimal>("price", scale: 2), in: "nowhere") }),
            (.invalidDeclaration, { db in try db.changeColumn(Column<Decimal?>("tip", scale: 19), in: "offer") }),
        ]
        for (code, step) in steps {
            let migrator = Migrator {
                Migration("1") { db throws in
                    try db.execute("CREATE TABLE offer (price TEXT PRIMARY KEY, tip TEXT DEFAULT (1 + 1))")
                    try expectFailure(code) { try step(db) }
                }
            }
            let directory = try TemporaryDirectory()
            try await Vault(directory.path(""), keys: .numbered(1)).with(\.migrator, migrator).using { _ in }
        }
    }
}
