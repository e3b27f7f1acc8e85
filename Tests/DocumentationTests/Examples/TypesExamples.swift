import Foundation
import Strongroom
import StrongroomTesting
import Testing

struct Zone: RawRepresentable, Hashable, ColumnValue {
    let rawValue: String
    let timeZone: TimeZone

    init?(rawValue: String) {
        guard let zone = TimeZone(identifier: rawValue) else { return nil }
        (self.rawValue, timeZone) = (rawValue, zone)
    }
}

@Suite("The examples of \"Types of columns\"")
struct TypesExamples {
    @Table("contact")
    struct Contact {
        var id: Int64?
        var createdAt: Date
    }

    @Test func aDateInSQL() async throws {
        let query = try #require(try Documentation.examples(of: "Types.md").first { $0.language == "sql" }).text
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let date = try Date("2026-11-21T20:15:00Z", strategy: .iso8601)
        try await store.write { db in try Contact.insert(Contact(createdAt: date), in: db) }
        let shown = try await store.read { db in try db.value(SQL(stringLiteral: query), as: String.self) }
        #expect(shown == "2026-11-21 20:15:00")
    }

    @Table("task")
    struct Task: Equatable {
        var id: Int64?
        @Column(as: .since1970(.seconds)) var created: Date
        @Column(as: .iso8601) var due: Date?
    }

    private static let toText = Migrator {
        Migration("6") { db in try db.execute("CREATE TABLE task (id INTEGER PRIMARY KEY, due REAL)") }
        Migration("7") { db throws in
            try db.addColumn(Column<Date?>("due_text", as: .iso8601), to: "task")
            try db.execute("UPDATE task SET due_text = strftime('%Y-%m-%dT%H:%M:%fZ', due + 978307200, 'unixepoch')")
        }
    }

    @Test func datesInOtherForms() async throws {
        let store = try await TemporaryStore(tables: [Task.schema]).store
        let now = try Date("2026-11-21T20:15:00Z", strategy: .iso8601)
        try await store.write { db in
            let tasks = [-1, 0, 1].map { Task(created: now + $0, due: now + $0) }
            try Task.insert(contentsOf: tasks, in: db)

            let late = try Task.where { $0.due < now }.order { $0.created.descending }.fetch(in: db)

            #expect(late.map(\.due) == [now - 1])
        }
        #expect(Self.toText.newestVersion == "7")
    }

    @Table("device")
    struct Device {
        var id: UUID?
        var name: String
    }

    @Table("reading")
    struct Reading {
        var id: Int64?
        var device: UUID
    }

    private static let spelled = Migrator {
        Migration("7") { db throws in
            try db.createTable(Device.schema)
            try db.createTable(Reading.schema)
            try db.execute("INSERT INTO device VALUES ('0a0b0c0d-0000-4000-8000-00000000abcd', 'first')")
        }
        Migration("8") { db in try db.convertSpellings(of: Device.self, Reading.self) }
    }

    @Test func spellingsAreConverted() async throws {
        #expect(Self.spelled.newestVersion == "8")
        let store = try await TemporaryStore(tables: [Device.schema, Reading.schema]).store
        let uuid = try #require(UUID(uuidString: "0A0B0C0D-0000-4000-8000-00000000ABCD"))
        try await store.write { db in
            try db.execute("INSERT INTO device VALUES ('0a0b0c0d-0000-4000-8000-00000000abcd', 'first')")
            try db.convertSpellings(of: Device.self, Reading.self)
            #expect(try Device.find(uuid, in: db)?.name == "first")
        }
    }

    @Table("receipt")
    struct Receipt {
        var id: Int64?
        var price: Decimal
    }

    private static let migrator = Migrator {
        Migration("4") { db in try db.createTable(Receipt.schema) }
        Migration("5") { db in try db.changeColumn(Receipt.columns.price, in: "receipt") }
    }

    @Test func theDigitsOfADecimalInSQL() async throws {
        let query = try #require(try Documentation.examples(of: "Types.md").last { $0.language == "sql" }).text
        let store = try await TemporaryStore(tables: [Receipt.schema]).store
        for (price, digits) in [(Decimal(12.5), "12.5"), (-3, "-3"), (0, "0")] {
            let shown = try await store.write { db throws in
                try Receipt.truncate(in: db)
                try Receipt.insert(Receipt(price: price), in: db)
                return try db.value(SQL(stringLiteral: query), as: String.self)
            }
            #expect(shown == digits)
        }
        #expect(Self.migrator.newestVersion == "5")
    }

    @Table("invoice")
    struct Invoice {
        var id: Int64?
        @Column(scale: 2) var price: Decimal
        @Column(scale: 2) var discount: Decimal?
    }

    private static let fromCents = Migrator {
        Migration("5") { db in try db.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, price INTEGER)") }
        Migration("6") { db throws in
            try db.changeColumn(Column<Decimal>("price", scale: 2), in: "invoice")
            try db.execute("UPDATE invoice SET price = price / 100")
        }
    }

    private static let byHand = Column<Decimal>("price", scale: 2)

    @Test func moneyIsAddedUpExactly() async throws {
        #expect(Self.byHand.definition.declaredType == Invoice.columns.price.definition.declaredType)
        let store = try await TemporaryStore(tables: [Invoice.schema]).store
        let (price, limit) = (try #require(Decimal(string: "100.10")), try #require(Decimal(string: "100.105")))
        try await store.write { db throws in
            for _ in 0..<10 { try Invoice.insert(Invoice(price: price, discount: 0), in: db) }
        }
        try await store.read { db throws in
            let total = try Invoice.query.value(in: db) { $0.price.sum() }
            let reduced = try Invoice.where { $0.price - $0.discount > 100 }.fetch(in: db)
            let cheap = try Invoice.where { $0.price < limit }.count(in: db)
            #expect(total == 1001 && reduced.count == 10 && cheap == 10)
        }
        try await store.read { db throws in
            let limit = try #require(Decimal(string: "100.11"))
            let found = try db.value("SELECT count(*) FROM invoice WHERE price < \(limit, scale: 2)", as: Int.self)
            #expect(found == 10)
        }
        #expect(Self.fromCents.newestVersion == "6")
    }

    @Table("appointment")
    struct Appointment {
        var id: Int64?
        var start: Date
        var zone: Zone
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    @Test func aDayOfATimeZone() async throws {
        let store = try await TemporaryStore(tables: [Appointment.schema]).store
        let rome = try #require(Zone(rawValue: "Europe/Rome"))
        let zone = try #require(Zone(rawValue: "Pacific/Auckland"))
        let moment = try Date("2026-11-21T20:15:00Z", strategy: .iso8601)
        // There it is the 22nd, from 11:00 on by UTC.
        let first = try Date("2026-11-21T11:00:00Z", strategy: .iso8601)
        try await store.write { db in
            try Appointment.insert(Appointment(start: first - 1, zone: rome), in: db)
            try Appointment.insert(Appointment(start: first, zone: zone), in: db)
        }
        try await store.read { db throws in
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone.timeZone
            if let day = calendar.dateInterval(of: .day, for: moment) {
                let found = try Appointment.where { $0.start >= day.start && $0.start < day.end }.fetch(in: db)
                print(found.count)
            }

            let inRome = try Appointment.where { $0.zone == rome }.count(in: db)

            #expect(inRome == 1)
        }
        #expect(printed.lines == ["1"])
        try await store.write { db in try db.execute("UPDATE appointment SET zone = 'Nowhere'") }
        let error = await #expect(throws: StrongroomError.self) { try await store.table(Appointment.self).all() }
        #expect(error?.code == .typeMismatch)
    }
}
