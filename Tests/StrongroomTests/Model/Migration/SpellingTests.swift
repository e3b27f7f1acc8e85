import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
        #expect(report.isWhole)
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
        for stored: Value in [
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
            try Tagged.history(of: Self.uuid, in: db).compactMap(\.before?.name)
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
