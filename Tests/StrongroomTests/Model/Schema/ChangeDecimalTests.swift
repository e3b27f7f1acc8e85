import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
        let again = try await automatic.using { store in store.opening.migration?.schemaChanges }
        #expect(again == [])
    }

    @Test func aCheckThatDoesNotHoldForTheNewFormNamesTheRows() async throws {
        try await TemporaryStore().store.write { db throws in
            try Self.make("TEXT", db)
            let error = try expectFailure(.constraint) {
                try db.changeColumn(Column<Decimal>("price", check: "price > '0'"), in: "offer")
            }
            #expect(error.message.contains("violate it in table \"offer\": 3."), "\(error.message)")
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

    @Test func parenthesesWithinADefaultCount() throws {
        func plain(_ sql: String) -> String { CreateTableText.withPlainDefault([SQLToken](sql: sql)).sql }
        #expect(plain("a INTEGER DEFAULT ((1+2)*3)") == "aINTEGERDEFAULT(1+2)*3")
        #expect(plain("a INTEGER DEFAULT (1+2*3)") == "aINTEGERDEFAULT1+2*3")
        #expect(plain("a INTEGER DEFAULT ((1)) NOT NULL") == plain("a INTEGER DEFAULT 1 NOT NULL"))
        #expect(plain("a INTEGER DEFAULT ( -1 )") == plain("a INTEGER DEFAULT -1"))
    }
}
