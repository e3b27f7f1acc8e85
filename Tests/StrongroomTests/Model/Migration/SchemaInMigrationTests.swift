import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Typed changes of the schema in a migration")
struct SchemaInMigrationTests {
    private let vault = Vault(keys: .numbered(1))

    private static let person = TableSchema(
        "person", Column<Int64?>("id", primaryKey: true), Column<String>("name"), Column<Int?>("age"))

    @Test func everyChangeCanBeMadeInOneMigration() async throws {
        let first = Migration("1") { db in
            try db.createTable(Self.person)
            try db.execute("INSERT INTO person (name, age) VALUES ('Ada', 36), ('Bo', 7)")
        }
        let migrator = Migrator {
            first
            Migration("2") { db in
                try db.addColumn(Column<String?>("mail"), to: "person")
                try db.addColumn(Column<String>("code", unique: true, default: nil), to: "person")
            }
        }
        // A column that may hold none and has no default cannot be added to a table with rows; nothing of the step is
        // left.
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        let whole = Migrator {
            first
            Migration("2") { db in
                try db.addColumn(Column<String?>("mail", unique: true), to: "person")
                try db.renameColumn("name", to: "full_name", in: "person")
                try db.changeColumn(Column<String?>("age"), in: "person")
                try db.createIndex(TableIndex("by_name", on: .column("full_name")), on: "person")
                try db.renameTable("person", to: "human")
                try db.execute("CREATE VIEW adult AS SELECT full_name FROM human WHERE CAST(age AS INTEGER) >= 18")
                try db.createTable(TableSchema("log", Column<String>("text")))
                try db.execute(
                    """
                    CREATE TRIGGER named AFTER UPDATE OF full_name ON human WHEN old.full_name <> new.full_name
                    BEGIN INSERT INTO log VALUES (old.full_name); INSERT INTO log VALUES (new.full_name); END
                    """)
                try db.execute("UPDATE human SET full_name = 'Ida' WHERE full_name = 'Ada'")
                try db.dropColumn("mail", from: "human")
            }
            Migration("3") { db in
                #expect(try db.texts("SELECT full_name FROM adult") == ["Ida"])
                try db.execute("DROP VIEW adult")
                try db.execute("DROP TRIGGER named")
                try db.dropIndex("by_name")
                try db.execute("UPDATE human SET full_name = 'Ana' WHERE full_name = 'Ida'")
            }
        }
        try await vault.with(\.migrator, whole).using { store in
            let (names, log, columns) = try await store.read { db in
                (
                    try db.texts("SELECT full_name FROM human ORDER BY id"), try db.texts("SELECT text FROM log"),
                    try db.columns(of: "human").map { "\($0.name) \($0.declaredType)" }
                )
            }
            #expect(names == ["Ana", "Bo"])
            #expect(log == ["Ada", "Ida"])
            #expect(columns == ["id INTEGER", "full_name TEXT", "age TEXT"])
        }
    }
}

@Suite("Values for a new column")
struct FillTests {
    private let vault = Vault(keys: .numbered(1))

    private static let count = 2_500

    /// Tables whose rows are found in different ways.
    static let tables: [SQL] = [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        "CREATE TABLE item (id INTEGER, text TEXT NOT NULL)",
        "CREATE TABLE item (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE item (id, text, RowID, _rowid_)",
        "CREATE TABLE item (id, text, RowID, _rowid_, OID)",
    ]

    private func first(_ table: SQL) -> Migration {
        Migration("1") { db in
            try db.execute(table)
            for id in 1...Self.count {
                // With gaps, and on both sides of zero.
                let id = (id - 1_000) * 7
                try db.execute("INSERT INTO item (id, text) VALUES (\(id), \("item \(id)"))")
            }
        }
    }

    private func filling(_ value: SQL = "length(text) + 1") -> Migration {
        Migration("2") { db in
            try db.execute("ALTER TABLE item ADD COLUMN size INTEGER NOT NULL DEFAULT 0")
            try db.fill("size", of: "item", with: value)
            try db.execute("CREATE INDEX item_size ON item (size)")
        }
    }

    @Test(arguments: tables) func everyRowGetsItsValue(table: SQL) async throws {
        let first = first(table)
        try await vault.with(\.migrator, Migrator { first }).keep()
        let told = Locked<[WorkProgress]>([])
        let migrator = Migrator {
            first
            filling()
        }.reporting { progress in told.withLock { $0.append(progress) } }
        try await vault.with(\.migrator, migrator).using { store in
            let right = try await store.read { db in
                try db.value("SELECT count(*) FROM item WHERE size = length(text) + 1", as: Int.self)
            }
            #expect(right == Self.count)
        }
        let dones = told.withLock { $0 }.map(\.done)
        #expect(dones == dones.sorted())
        let last = told.withLock { $0.last }
        #expect(last?.done == last?.total)
        // How many slices there were is no difference.
        #expect(try await vault.with(\.migrator, migrator).keep().migration?.changed == [])
        let other = Migrator {
            first
            filling("length(text) + 2")
        }
        #expect(try await vault.with(\.migrator, other).keep().migration?.changed == ["2"])
    }

    @Test func rowIDsMayBeAsFarApartAsNumbersCan() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, size)")
                try db.execute("INSERT INTO item (id) VALUES (\(Int64.min)), (0), (\(Int64.max))")
                try db.fill("size", of: "ITEM", with: "id / 2")
            }
        }
        try await vault.with(\.migrator, migrator).using { store in
            let sizes = try await store.read { db in
                try db.values("SELECT size FROM item ORDER BY id", as: Int64.self)
            }
            #expect(sizes == [Int64.min / 2, 0, Int64.max / 2])
        }
    }

    @Test func rowsThatATriggerAddsAreNotFilledForEver() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, size)")
                try db.execute("INSERT INTO item (id) VALUES (1), (2)")
                try db.execute(
                    "CREATE TRIGGER more AFTER UPDATE ON item BEGIN INSERT INTO item (size) VALUES ('new'); END")
                try db.fill("size", of: "item", with: "1")
            }
        }
        try await vault.with(\.migrator, migrator).using { store in
            let count = try await store.read { db in try db.value("SELECT count(*) FROM item", as: Int.self) }
            #expect(count == 4)
        }
    }

    @Test(arguments: [("none", "size"), ("item", "none")]) func whatIsNotThereIsAnError(table: String, column: String)
        async throws
    {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, size)")
                try db.fill(column, of: table, with: "1")
            }
        }
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
    }

    @Test func aValueThatBreaksAConstraintUndoesTheStep() async throws {
        let first = first(Self.tables[0])
        try await vault.with(\.migrator, Migrator { first }).keep()
        let migrator = Migrator {
            first
            filling("CASE WHEN id > 10000 THEN NULL ELSE 1 END")
        }
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        let report = try await vault.with(\.migrator, Migrator { first }).keep()
        #expect(report.migration?.to == "1")
    }
}

/// A type of its own whose raw value has several spellings.
struct SerialNumber: RawRepresentable, ColumnValue, Hashable {
    let rawValue: UUID
}

/// Values that other programs have spelled in another way than the library: refused, counted and rewritten.
@Suite("Values with several spellings")
struct SpellingTests {
    @Table("device")
    struct Device: Equatable {
        @Column(primaryKey: true) var id: UUID
        var name = ""
    }

    @Table("reading")
    struct Reading: Equatable {
        var id: Int64?
        @Column(references: Reference("device")) var device: UUID?
        @Column(as: .iso8601WithBlank) var at: Date
    }

    @Table("part")
    struct Part {
        var id: Int64?
        @Column(unique: true) var serial: SerialNumber?
        var price: Decimal = 0
    }

    private static let text = "0a0b0c0d-0000-4000-8000-00000000abcd"
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)
    private static let uuid = UUID(uuid: (10, 11, 12, 13, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0xAB, 0xCD))

    private static func plant(in db: borrowing some Writing & ~Copyable) throws {
        try db.execute("INSERT INTO device (id, name) VALUES (\(text), 'first')")
        try db.execute("INSERT INTO reading (device, at) VALUES (\(text), '2026-11-21 12:00:00')")
        try db.execute("INSERT INTO reading (device, at) VALUES (NULL, '2026-11-21 12:00:00.000')")
    }

    private static let counts = ["device.id 1", "reading.device 1", "reading.at 1"]

    private static func words(_ counts: [SpellingCount]) -> [String] {
        counts.map { "\($0.table).\($0.column) \($0.count)" }
    }

    @Test func aLowerCaseUUIDIsRefusedByName() async throws {
        try await TemporaryStore(tables: [Device.schema, Reading.schema]).store.write { db in
            try Self.plant(in: db)
            let error = try expectFailure(.typeMismatch) { try Device.all(in: db) }
            #expect(error.mismatch?.table == "device" && error.mismatch?.column == "id" && error.mismatch?.rowID == 1)
            #expect(error.message.contains("a UUID in lower case where a UUID in upper case is expected"))
            #expect(error.message.contains("db.convertSpellings(of:)"))
            #expect(!error.message.contains("0a0b"))
        }
    }

    @Test func verifyingCountsThemAndTheFileIsWhole() async throws {
        let store = try await TemporaryStore(tables: [Device.schema, Reading.schema]).store
        try await store.write { db in try Self.plant(in: db) }
        let report = try await store.verify()
        #expect(report.isIntact)
        #expect(Self.words(report.otherSpellings) == Self.counts)
        #expect(report.description.contains("column \"id\" of table \"device\" has 1 value in another spelling"))
        _ = try await store.write { db in try db.convertSpellings(of: Device.self, Reading.self) }
        #expect(try await store.verify().otherSpellings == [])
    }

    @Test func theyAreRewrittenWithWhatReferencesThem() async throws {
        try await TemporaryStore(tables: [Device.schema, Reading.schema]).store.write { db in
            try Self.plant(in: db)
            // The reading would lose its device.
            try expectFailure(.constraint) { try db.convertSpellings(of: Device.self) }
            #expect(try db.value("SELECT id FROM device", as: String.self) == Self.text)
            let counts = try db.convertSpellings(of: Device.self, Reading.self)
            #expect(Self.words(counts) == Self.counts)
            let device = Device(id: Self.uuid, name: "first")
            #expect(try Device.find(Self.uuid, in: db) == device)
            #expect(try Device.upsert(device, in: db).outcome == .updated)
            #expect(try Reading.where { $0.device == Self.uuid && $0.at == Self.noon }.count(in: db) == 1)
            #expect(try Reading.where { $0.at >= Self.noon }.count(in: db) == 2)
            #expect(try db.value("SELECT count(DISTINCT at) FROM reading", as: Int.self) == 1)
        }
    }

    @Test func aMigrationRewritesThem() async throws {
        let vault = Vault(keys: .numbered(1))
        let first = Migration("1") { db in
            try db.createTable(Device.schema)
            try db.createTable(Reading.schema)
            try Self.plant(in: db)
        }
        try await vault.with(\.migrator, Migrator { first }).using { _ in }
        let second = Migration("2") { db in try db.convertSpellings(of: Reading.self, Device.self) }
        let both = Migrator { [first, second] }
        try await vault.with(\.migrator, both).using { store in
            let found = try await store.read { db in try Reading.where { $0.device == Self.uuid }.count(in: db) }
            #expect(found == 1)
        }
    }

    @Test func everySpellingOfAUUIDIsRewritten() async throws {
        let store = try await TemporaryStore(tables: [Part.schema]).store
        for stored: SQLValue in [
            .text(Self.text), .text(Self.text.filter { $0 != "-" }), .text("0A0B0C0D-0000-4000-8000-00000000abcd"),
            .blob([10, 11, 12, 13, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0xAB, 0xCD]),
        ] {
            try await store.write { db in
                try db.execute("DELETE FROM part")
                try db.execute("INSERT INTO part (serial, price) VALUES (\(stored), '12.50')")
                try expectFailure(.typeMismatch) { try Part.all(in: db) }
                #expect(try db.convertSpellings(of: Part.self).map(\.count) == [1, 1])
                #expect(try Part.where { $0.serial == SerialNumber(rawValue: Self.uuid) }.count(in: db) == 1)
                #expect(try Part.where { $0.price == 12.5 }.fetch(in: db).map(\.price) == [12.5])
            }
        }
    }

    @Table("tagged", history: .keep())
    struct Tagged: Equatable {
        @Column(primaryKey: true) var id: UUID
        var name = ""
    }

    @Test func aHistoryIsRewrittenToo() async throws {
        let store = try await TemporaryStore(tables: [Tagged.schema]).store
        try await store.write { db in
            try db.execute("INSERT INTO tagged (id, name) VALUES (\(Self.text), 'first')")
            try db.execute("UPDATE tagged SET name = 'second'")
        }
        try await store.write { db in
            let counts = try db.convertSpellings(of: Tagged.self)
            #expect(Self.words(counts) == ["tagged.id 1"])
        }
        let names = try await store.read { db in
            try Tagged.changes(of: Self.uuid, in: db).compactMap(\.before?.name)
        }
        #expect(names == ["first"])
    }

    @Test func whatCannotBeRewrittenIsNamed() async throws {
        try await TemporaryStore(tables: [Part.schema]).store.write { db in
            try db.execute("INSERT INTO part (serial, price) VALUES (\(Self.text), '0'), (\(Self.uuid), '0')")
            let clash = try expectFailure(.constraint) { try db.convertSpellings(of: Part.self) }
            #expect(clash.message.contains("Row 1 of table \"part\"") && clash.message.contains("merge"))
            try db.execute("UPDATE part SET serial = 'none' WHERE id = 2")
            let wrong = try expectFailure(.schemaChange) { try db.convertSpellings(of: Part.self) }
            #expect(wrong.message.contains("Row 2 of table \"part\" has a value that is no UUID in column \"serial\""))
            #expect(try db.value("SELECT serial FROM part WHERE id = 1", as: String.self) == Self.text)
        }
    }

    @Test func manyRowsAreRewrittenInSlices() async throws {
        try await TemporaryStore(tables: [Part.schema]).store.write { db in
            for number in 0..<2_500 {
                let text = String(Self.text.dropLast(7)) + String(1_000_000 + number)
                try db.execute("INSERT INTO part (serial, price) VALUES (\(text), '0')")
            }
            #expect(try db.convertSpellings(of: Part.self).map(\.count) == [2_500])
            #expect(try Part.all(in: db).count == 2_500)
        }
    }

    @Test func JSONTakesEverySpelling() async throws {
        let store = try await TemporaryStore(tables: [Device.schema, Part.schema]).store
        #expect(try Device(json: #"{"id": "\#(Self.text)"}"#).id == Self.uuid)
        #expect(try Part(json: #"{"serial": "\#(Self.text)", "price": "1"}"#).serial?.rawValue == Self.uuid)
        try await store.write { db in
            try Device.insert(Device(id: Self.uuid), in: db)
            let outcomes = try Device.upsert(json: #"{"id": "\#(Self.text)", "name": "second"}"#, in: db)
            #expect(outcomes.map(\.outcome) == [.updated])
            #expect(try Device.all(in: db).map(\.name) == ["second"])
        }
    }
}
