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

    @Test func aTableOfOnesOwnSQLIsConvertedByNames() async throws {
        try await migrate { db throws in
            try db.execute("CREATE TABLE offer (price TEXT, tip TEXT, name TEXT)")
            try db.execute("INSERT INTO offer VALUES ('12.50', '9', '1.0'), ('9', NULL, 'x')")
            try db.convertDecimals(["PRICE", "tip"], in: "Offer")
            try db.convertDecimals(["price"], in: "offer")
            #expect(try db.value("SELECT name FROM offer WHERE price = \(Decimal(12.5))", as: String.self) == "1.0")
            #expect(try db.columns(of: "offer").map(\.declaredType) == ["DECIMAL_TEXT", "DECIMAL_TEXT", "TEXT"])
            try expectFailure(.sql, saying: "no such column: cost") { try db.convertDecimals(["cost"], in: "offer") }
            try expectFailure(.sql) { try db.convertDecimals(["cost"], in: "nowhere") }
            try expectFailure(.schemaChange) { try db.convertDecimals(["name"], in: "offer") }
        }
        #expect(try await texts("SELECT price FROM offer ORDER BY price") == ["p001:9", "p002:12.5"])
    }

    @Table("offer")
    struct Narrow {
        @Column(primaryKey: true) var id: Int64?
        var price: Decimal
    }

    @Table("offer")
    struct Wide {
        @Column(primaryKey: true) var id: Int64?
        var price: Decimal
        var tip: Decimal?
    }

    @Test func aColumnThatALaterStepAddsIsPassedOver() async throws {
        func migrations(_ convert: @escaping Migration.Step, _ more: Bool) -> [Migration] {
            let first = [Migration("1") { db in try db.execute(Self.offer) }, Migration("2", convert)]
            let third = Migration("3") { db in try db.addColumn(Column<Decimal?>("tip"), to: "offer") }
            return more ? first + [third] : first
        }
        let (narrow, wide) = (
            migrations({ db in try db.convertDecimals(of: Narrow.self) }, false),
            migrations({ db in try db.convertDecimals(of: Wide.self) }, true)
        )
        try await vault.with(\.migrator, Migrator { narrow }).using { _ in }
        try await vault.with(\.migrator, Migrator { wide }.whenChanged(.refuse)).write { db throws in
            try Wide.insert(Wide(id: nil, price: 2, tip: 1), in: db)
            #expect(try Wide.where { $0.tip == 1 }.count(in: db) == 1)
        }
    }

    @Test func aNewFileGoesThroughAStepWithTodaysType() async throws {
        try await migrate(
            { db in try db.execute(Self.offer) }, { db in try db.convertDecimals(of: Wide.self) },
            { db in try db.addColumn(Column<Decimal?>("tip"), to: "offer") })
        let types = try await vault.with(\.migrator, nil).read { db in try db.columns(of: "offer").map(\.declaredType) }
        #expect(types == ["INTEGER", "DECIMAL_TEXT", "DECIMAL_TEXT"])
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
        #expect(try await automatic.using { store in store.opening.migration?.schemaChanges } == [])
        try await vault.with(\.migrator, nil).write { db in
            try expectFailure(.constraint) { try db.execute("INSERT INTO offer VALUES (3, NULL, '-n998:8~-1')") }
        }
    }

    @Test func aCheckThatStaysAndDoesNotHoldNamesTheRows() async throws {
        try await make(
            "CREATE TABLE offer (id INTEGER PRIMARY KEY, price TEXT NOT NULL CHECK (CAST(price AS REAL) > 0))",
            "INSERT INTO offer VALUES (1, '12.50'), (5, '9')")
        let error = try await expectFailure(.migrationFailed) {
            try await migrate { db in try db.convertDecimals(of: Narrow.self) }
        }
        #expect(error.message.contains("(CAST(price AS REAL) > 0)"), "\(error.message)")
        #expect(error.message.contains("in table \"offer\": 1, 5."), "\(error.message)")
        #expect(try await texts("SELECT price FROM offer ORDER BY id") == ["12.50", "9"])
        // A change of the column does both at once.
        try await migrate { db in try db.changeColumn(Column<Decimal>("price", check: "price > '0'"), in: "offer") }
        #expect(try await texts("SELECT price FROM offer ORDER BY id") == ["p002:12.5", "p001:9"])
    }

    @Test(
        arguments: [
            ("'1.50'", "p001:1.5"), ("1.5", "p001:1.5"), ("-12.5", "-n997:87.4~-12.5"), ("('2')", "p001:2"), ("0", "0"),
            ("\"3\"", "p001:3"), ("(-(4))", nil), ("(1 + 1)", nil), ("CURRENT_TIMESTAMP", nil), ("'none'", nil),
        ] as [(String, String?)])
    func aDefaultIsConverted(literal: String, stored: String?) async throws {
        let literal = SQL(stringLiteral: literal)
        try await make("CREATE TABLE offer (id INTEGER PRIMARY KEY, price TEXT NOT NULL DEFAULT \(literal))")
        guard let stored else {
            try await expectFailure(.migrationFailed, saying: "The default of column \"price\" of table \"offer\"") {
                try await migrate { db in try db.convertDecimals(of: Narrow.self) }
            }
            return
        }
        try await migrate { db throws in
            try db.convertDecimals(of: Narrow.self)
            try db.execute("INSERT INTO offer (id) VALUES (1)")
        }
        #expect(try await texts("SELECT price FROM offer") == [stored])
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
        let new = Migration("2") { db in try db.convertDecimals(of: Narrow.self) }
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
        try await migrate { db in try db.convertDecimals(["copy", "kept", "price"], in: "offer") }
        #expect(try await texts("SELECT copy || ' ' || kept FROM offer") == ["p002:12.5 p002:12.5", "p001:9 p001:9"])
        try await make("DROP TABLE offer", "DROP TABLE strongroom_migrations", old)
        try await make("INSERT INTO offer (id, price) VALUES (1, '12.50'), (2, '9')")
        try await vault.with(\.migrator, .automatic(tables: [schema])).using { _ in }
        #expect(try await texts("SELECT copy || ' ' || kept FROM offer") == ["p002:12.5 p002:12.5", "p001:9 p001:9"])
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns, "the engine knows no generated columns"))
    func aGeneratedColumnOfAnotherFormIsNamed() async throws {
        try await make(
            """
            CREATE TABLE offer (id INTEGER PRIMARY KEY, price TEXT NOT NULL,
                twice TEXT GENERATED ALWAYS AS (CAST(id * 2 AS TEXT)) STORED)
            """,
            "INSERT INTO offer (id, price) VALUES (3, '12.50')")
        try await expectFailure(.migrationFailed, saying: "Column \"twice\" of table \"offer\" is generated") {
            try await migrate { db in try db.convertDecimals(["price", "twice"], in: "offer") }
        }
    }
}
