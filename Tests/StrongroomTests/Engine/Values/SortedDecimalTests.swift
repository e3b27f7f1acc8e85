import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Decimals that the engine compares as numbers")
struct SortedDecimalTests {
    @Table("receipt")
    struct Receipt: Equatable {
        @Column(primaryKey: true) var id: Int64?
        @Column(indexed: true) var price: Decimal
        var tip: Decimal?
    }

    private static func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

    private func store(_ prices: [String]) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Receipt.schema])
        let receipts = try prices.map { Receipt(id: nil, price: try Self.decimal($0), tip: nil) }
        try await temporary.store.write { db throws in _ = try Receipt.insert(contentsOf: receipts, in: db) }
        return temporary
    }

    private static func prices(_ query: Query<Receipt>, _ db: borrowing ReadTransaction) throws -> [String] {
        try query.order { $0.price.ascending }.fetch(in: db).map { "\($0.price)" }
    }

    @Test(arguments: [("1", "an integer"), ("1.5", "a floating-point number")])
    func aNumberThatIsReadAsADecimalIsAMismatchThatNamesOne(number: String, found: String) async throws {
        try await TemporaryStore(tables: []).store.read { db in
            _ = try expectFailure(.typeMismatch, saying: "\(found) where a decimal is expected: it is stored as text") {
                try db.value(SQL(stringLiteral: "SELECT \(number)"), as: Decimal.self)
            }
        }
    }

    @Test(arguments: [
        ("0", "0"), ("0.00", "0"), ("-0", "0"), ("9.5", "p001:9.5"), ("1.500", "p001:1.5"), ("100", "p003:100"),
        ("0.05", "p000:0.05"), ("-1", "-n998:8~-1"), ("-12.50", "-n997:87.4~-12.5"), ("-0.5", "-n999:9.4~-0.5"),
    ])
    func oneNumberHasOneForm(text: String, stored: String) throws {
        #expect(try Self.decimal(text).stored() == .text(stored))
    }

    @Test func comparisonsAreThoseOfNumbers() async throws {
        try await store(["9.5", "100", "-1", "-1.5", "0", "0.05", "10", "1.500", "-100"]).store.read { db throws in
            #expect(
                try Self.prices(Query<Receipt>(), db) == ["-100", "-1.5", "-1", "0", "0.05", "1.5", "9.5", "10", "100"])
            #expect(try Self.prices(Receipt.where { $0.price > 9 }, db) == ["9.5", "10", "100"])
            #expect(try Self.prices(Receipt.where { $0.price < 0 }, db) == ["-100", "-1.5", "-1"])
            #expect(try Self.prices(Receipt.where { $0.price == Decimal(string: "1.50") ?? 0 }, db) == ["1.5"])
            #expect(try Self.prices(Receipt.where { $0.price.isIn([10, 0, 7]) }, db) == ["0", "10"])
            #expect(
                try Self.prices(Receipt.where { $0.price.isIn((0..<200).map { Decimal($0) }) }, db) == [
                    "0", "10", "100",
                ])
            #expect(try Self.prices(Receipt.where { $0.price.isBetween(-1, and: 10) }, db).count == 6)
            #expect(try Query<Receipt>().value(in: db) { $0.price.max() } == 100)
            #expect(try Query<Receipt>().value(in: db) { $0.price.min() } == -100)
            // In SQL of one's own a comparison with zero holds.
            #expect(try db.value("SELECT count(*) FROM receipt WHERE price < 0", as: Int.self) == 3)
            #expect(try db.value("SELECT count(*) FROM receipt WHERE price > 0", as: Int.self) == 5)
            #expect(try db.value("SELECT count(*) FROM receipt WHERE price = 0", as: Int.self) == 1)
        }
    }

    @Test func anyDecimalsSortAsInSwift() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of anyDecimalsSortAsInSwift: \(seed)")
        var generator = SeededGenerator(seed)
        var made: [Decimal] = [0, 1, -1]
        for _ in 0..<400 {
            let exponent = Int.random(in: -40...30, using: &generator)
            let digits = Decimal(generator.next() >> UInt64.random(in: 0...63, using: &generator))
            let isNegative = generator.next().isMultiple(of: 2)
            made.append(Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: digits))
        }
        let decimals = made
        let receipts = decimals.map { Receipt(id: nil, price: $0, tip: nil) }
        let store = try await TemporaryStore(tables: [Receipt.schema]).store
        let sorted = try await store.write { db throws in
            _ = try Receipt.insert(contentsOf: receipts, in: db)
            return try Query<Receipt>().order { $0.price.ascending }.fetch(in: db).map(\.price)
        }
        #expect(sorted == decimals.sorted())
        try await store.read { db throws in
            for decimal in decimals.prefix(50) {
                let smaller = decimals.filter { $0 < decimal }.count
                #expect(try Receipt.where { $0.price < decimal }.count(in: db) == smaller, "\(decimal)")
            }
        }
    }

    @Test func jsonAndDictionariesHaveTheDigits() throws {
        let receipt = Receipt(id: 1, price: try Self.decimal("-12345678901234567890.0123456789"), tip: 2)
        let json = try receipt.json()
        #expect(json.contains(#""-12345678901234567890.0123456789""#) && json.contains(#""tip":"2""#), "\(json)")
        #expect(try Receipt(json: json) == receipt)
        #expect(try receipt.dictionary()["tip"] == .text("2"))
        #expect(try Receipt(dictionary: try receipt.dictionary()) == receipt)
        let number = try Receipt(json: #"{"id":1,"price":-12345678901234567890.0123456789,"tip":0.10}"#)
        let tenth = try Self.decimal("0.1")
        #expect(number.price == receipt.price && number.tip == tenth)
        try expectFailure(.typeMismatch) { try Receipt(json: #"{"id":1,"price":"p001:9","tip":null}"#) }
        try expectFailure(.typeMismatch) { try Receipt(json: #"{"id":1,"price":"1,5","tip":null}"#) }
    }
}

@Suite("Decimals of older files")
struct OldDecimalTests {
    private let vault = Vault(keys: .numbered(1))

    @Table("bill")
    struct Bill: Equatable {
        @Column(primaryKey: true) var id: Int64?
        @Column(indexed: true) var total: Decimal = 1
        var tip: Decimal?
    }

    private static let first = Migration("1") { db throws in
        try db.execute(
            "CREATE TABLE bill (id INTEGER PRIMARY KEY, total TEXT NOT NULL DEFAULT '1', tip TEXT CHECK (tip <> 'x'))")
        try db.execute("CREATE INDEX bill_total ON bill (total)")
        try db.execute("CREATE TABLE journal (n)")
        try db.execute(
            "CREATE TRIGGER bill_changed AFTER UPDATE ON bill BEGIN INSERT INTO journal VALUES (old.id); END")
        for number in 0..<2_500 {
            try db.execute("INSERT INTO bill VALUES (\(number), \("\(number - 100).50"), \(number == 3 ? nil : "2.0"))")
        }
    }

    private func check(_ store: Store) async throws {
        try await store.read { db throws in
            #expect(try Query<Bill>().count(in: db) == 2_500)
            #expect(try Bill.where { $0.total > 2_000 }.count(in: db) == 400)
            #expect(try Bill.where { $0.tip == 2 }.count(in: db) == 2_499)
            #expect(try Query<Bill>().value(in: db) { $0.total.max() } == Decimal(string: "2399.5"))
            #expect(try db.value("SELECT count(*) FROM journal", as: Int.self) == 0)
            let types = try db.columns(of: "bill").map(\.declaredType)
            #expect(types == ["INTEGER", "DECIMAL_TEXT", "DECIMAL_TEXT"])
        }
    }

    @Test func aMigrationConvertsThemWithoutTriggers() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).using { _ in }
        // Before it their first use is an error, and so is reading them as decimals by SQL of one's own.
        try await vault.with(\.migrator, Migrator { Self.first }).using { store in
            for work in Self.uses {
                let error = try await expectFailure(.tableDiffers) { try await store.write { db in try work(db) } }
                #expect(error.message.contains("Column \"total\" of table \"bill\""))
                #expect(error.message.contains("db.changeColumn(_:in:)"))
            }
            try await expectFailure(.typeMismatch, saying: "a decimal as plain digits") {
                try await store.value("SELECT total FROM bill", as: Decimal.self)
            }
        }
        let migrator = Migrator {
            Self.first
            Migration("2") { db throws in
                try Self.convert(db)
                // Once more is nothing.
                try Self.convert(db)
            }
        }
        try await vault.with(\.migrator, migrator).using { store in
            try await check(store)
            try await store.write { db throws in
                var bill = try #require(try Bill.find(3, in: db))
                bill.tip = 1
                try Bill.update(bill, in: db)
                #expect(try db.value("SELECT count(*) FROM journal", as: Int.self) == 1)
            }
        }
    }

    @Sendable private static func convert(_ db: borrowing MigrationTransaction) throws {
        try db.changeColumn(Bill.columns.total, in: "bill")
        try db.changeColumn(Bill.columns.tip, in: "bill")
    }

    private static let uses: [@Sendable (borrowing WriteTransaction) throws -> Void] = [
        { db in _ = try Query<Bill>().fetch(in: db) },
        { db in _ = try Bill.where { $0.total > 9 }.count(in: db) },
        { db in _ = try Bill.where { $0.total > 9 }.exists(in: db) },
        { db in _ = try Bill.where { $0.total > 9 }.delete(in: db) },
        { db in _ = try Query<Bill>().select { $0.total }.fetch(in: db) },
        { db in _ = try Bill.insert(Bill(), in: db) },
        { db in try Bill.update(Bill(id: 1), in: db) },
    ]

    @Test func anAutomaticMigratorConvertsThem() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).write { db throws in
            try db.execute("DROP TABLE strongroom_migrations")
            try db.execute("UPDATE bill SET tip = '0002.00' WHERE id = 5")
            try db.execute("DELETE FROM journal")
        }
        let automatic = vault.with(\.migrator, .automatic(tables: [Bill.schema]))
        try await automatic.using { store in
            let changes = try #require(store.openReport.migration?.schemaChanges)
            #expect(changes.contains("table \"bill\": column \"total\" changed"))
            try await check(store)
        }
        let again = try await automatic.using { store in store.openReport.migration?.schemaChanges }
        #expect(again == [])
    }

    @Test func whatIsNoDecimalIsNamedAndNothingIsChanged() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).using { store in
            try await store.write { db in try db.execute("UPDATE bill SET total = '1,5' WHERE id = 2400") }
        }
        let migrator = Migrator {
            Self.first; Migration("2", Self.convert)
        }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        #expect(error.message.contains("Row 2400 of table \"bill\" has a value that is no decimal number"))
        #expect(error.message.contains("in column \"total\""), "\(error.message)")
        try await vault.with(\.migrator, nil).read { db throws in
            #expect(try db.value("SELECT count(*) FROM bill WHERE tip = '2.0'", as: Int.self) == 2_499)
            #expect(try db.columns(of: "bill").map(\.declaredType) == ["INTEGER", "TEXT", "TEXT"])
        }
    }

    @Test func aTableWithoutRowIDsIsConverted() async throws {
        let old = Migration("1") { db throws in
            try db.execute("CREATE TABLE rate (name TEXT PRIMARY KEY, amount TEXT, factor TEXT) WITHOUT ROWID")
            try db.execute("INSERT INTO rate VALUES ('a', '10', '1.0'), ('b', '9', '2'), ('c', '9.50', NULL)")
            try db.execute("INSERT INTO rate VALUES ('d', '-3', '0.00')")
        }
        try await vault.with(\.migrator, Migrator { old }).using { _ in }
        #expect(Rate.schema.columns.map(\.declaredType) == ["TEXT", "DECIMAL_TEXT", "DECIMAL_TEXT"])
        let migrator = Migrator {
            old
            Migration("2") { db throws in
                try db.changeColumn(Rate.columns.amount, in: "rate")
                try db.changeColumn(Rate.columns.factor, in: "rate")
            }
        }
        try await vault.with(\.migrator, migrator).read { db throws in
            let rates = try Query<Rate>().order { $0.amount.ascending }.fetch(in: db)
            #expect(rates.map(\.name) == ["d", "b", "c", "a"])
            #expect(try db.value("SELECT factor FROM rate WHERE amount < 0", as: String.self) == "0")
        }
    }

    @Table("rate")
    struct Rate {
        @Column(primaryKey: true) var name: String
        var amount: Decimal
        var factor: Decimal?
    }
}
