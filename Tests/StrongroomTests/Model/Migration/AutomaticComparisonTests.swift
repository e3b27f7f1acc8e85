import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// What an automatic migrator takes for a change, and how it says what stands in its way.
@Suite("What an automatic schema compares")
struct AutomaticComparisonTests {
    private let vault = Vault(keys: .numbered(1))

    private static let id = Column<Int64?>("id", primaryKey: true)

    private func execute(_ statements: SQL...) async throws {
        try await vault.with(\.migrator, nil).write { db in for sql in statements { try db.execute(sql) } }
    }

    private func adapt(_ table: TableSchema) async throws -> [String] {
        let vault = vault.with(\.migrator, .automatic(tables: [table]))
        let done = try await vault.using { store in store.openReport.migration?.schemaChanges ?? [] }
        let again = try await vault.using { store in store.openReport.migration?.schemaChanges }
        #expect(again == [])
        return done
    }

    private static let noTwice = TableSchema(
        "note", Column<Int64?>("id", primaryKey: true, autoincrement: true), Column<String>("text"))

    @Test(arguments: ["id INTEGER PRIMARY KEY, text TEXT NOT NULL", "id INTEGER, text TEXT NOT NULL, PRIMARY KEY (id)"])
    func keysAreNotGivenTwiceFromTheDeclarationOn(columns: String) async throws {
        try await execute(
            SQL(stringLiteral: "CREATE TABLE note (\(columns))"), "INSERT INTO note VALUES (1, 'a'), (7, 'b')",
            "CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO other VALUES (40)")
        let change = "table \"note\": keys in column \"id\" are never reused from now on"
        #expect(try await adapt(Self.noTwice) == [change])
        try await vault.with(\.migrator, nil).write { db throws in
            try db.execute("DELETE FROM note WHERE id = 7")
            try db.execute("INSERT INTO note (text) VALUES ('c')")
            #expect(try db.value("SELECT max(id) FROM note", as: Int.self) == 8)
            try db.execute("INSERT INTO other DEFAULT VALUES")
            #expect(try db.value("SELECT max(id) FROM other", as: Int.self) == 41)
        }
        // A rebuild keeps the number up to which keys were given.
        try await execute("DELETE FROM note WHERE id = 8")
        let wider = TableSchema(
            "note", Column<Int64?>("id", primaryKey: true, autoincrement: true), Column<String>("text", unique: true))
        #expect(try await adapt(wider) == ["table \"note\": column \"text\" changed"])
        try await execute("INSERT INTO note (text) VALUES ('d')")
        try await vault.with(\.migrator, nil).using { store in
            let last = try await store.read { db in try db.value("SELECT max(id) FROM note", as: Int.self) }
            #expect(last == 9)
        }
    }

    @Test func aFileThatNeverGivesKeysTwiceStaysSo() async throws {
        try await execute("CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)")
        #expect(try await adapt(TableSchema("note", Self.id, Column<String>("text"))) == [])
    }

    @Test func parenthesesAroundADefaultAreNoChange() async throws {
        try await execute(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, a INTEGER NOT NULL DEFAULT 1, b INTEGER NOT NULL DEFAULT \
            ((-2)), c REAL NOT NULL DEFAULT 0.5, d TEXT NOT NULL DEFAULT ('x'))
            """)
        let declared = TableSchema(
            "note", Self.id, Column<Int>("a", default: 1), Column<Int>("b", default: -2),
            Column<Double>("c", default: 0.5), Column<String>("d", default: "x"))
        #expect(try await adapt(declared) == [])
        let other = TableSchema(
            "note", Self.id, Column<Int>("a", default: 2), Column<Int>("b", default: -2),
            Column<Double>("c", default: 0.5), Column<String>("d", default: "x"))
        #expect(try await adapt(other) == ["table \"note\": column \"a\" changed"])
    }

    static let broken: [(TableSchema, ConstraintFailure.Kind, String)] = [
        (TableSchema("note", id, Column<String?>("text", unique: true)), .unique, "\"note\": 2, 3."),
        (TableSchema("note", id, Column<String>("text")), .notNull, "\"note\": 4."),
        (TableSchema("note", id, Column<String?>("text", check: "text <> 'a'")), .check, "\"note\": 1, 2, 3."),
    ]

    @Test(arguments: broken.indices)
    func aRefusalNamesTheTableAndTheRows(number: Int) async throws {
        let (declared, kind, rows) = Self.broken[number]
        try await execute(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)",
            "INSERT INTO note VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, NULL), (5, 'b')")
        let error = try await expectFailure(.migrationFailed, saying: "table \(rows)") {
            try await vault.with(\.migrator, .automatic(tables: [declared])).open()
        }
        #expect(!"\(error)".contains("strongroom_rebuilt"), "\(error)")
        #expect(error.constraint?.kind == kind)
        #expect(error.constraint?.table == nil || error.constraint?.table == "note")
    }

    @Test func aTableIsEmptiedWhereNoKeysAreCounted() async throws {
        try await execute("CREATE TABLE ticket (id INTEGER PRIMARY KEY)", "INSERT INTO ticket VALUES (5)")
        try await vault.with(\.migrator, nil).using { store in
            let count = try await store.write { db in try Ticket.truncate(in: db) }
            #expect(count == 1)
        }
    }

    @Table("ticket")
    struct Ticket {
        @Column(primaryKey: true, autoincrement: true) var id: Int64?
    }
}

/// Files whose dates have another form than the program declares.
struct DateFormMigrationTests {
    /// A table whose form of dates the test chooses, declared by hand.
    private struct Appointment: Table, Record, Equatable {
        var id: Int64?
        var day: Date
        var version = 0

        struct Columns: Sendable {
            let id = Column<Int64?>("id", primaryKey: true)
            let day = Column<Date>("day", as: .iso8601)
            let version = Column<Int>("version", initial: 0)
        }
        static let columns = Columns()
        static let schema = TableSchema("appointment", columns.id, columns.day, columns.version)
        static let _upkeep: _RecordUpkeep<Appointment>? = _RecordUpkeep().version(\.version, "version")

        static func key(of record: Appointment) -> Int64? { record.id }
        static func setKey(_ key: Int64, of record: inout Appointment) { record.id = key }

        init(id: Int64? = nil, day: Date) { (self.id, self.day) = (id, day) }
        init(row: borrowing Row) throws {
            id = try row[0]
            day = try row.date(at: 1, as: .iso8601)
            version = try row[2]
        }
        func encode(to bindings: borrowing Bindings) throws {
            try bindings.set(id, at: 0)
            try bindings.set(day, at: 1, as: .iso8601)
            try bindings.set(version, at: 2)
        }
    }

    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func table(_ column: some SchemaColumn) -> TableSchema {
        TableSchema("appointment", Column<Int64?>("id", primaryKey: true), column, Column<Int>("version", initial: 0))
    }

    @Test func aTableByHand() async throws {
        try await TemporaryStore(tables: [Appointment.schema]).store.write { db in
            var record = Appointment(day: Self.noon)
            try Appointment.save(&record, .insert, in: db)
            let stale = record
            try Appointment.save(&record, .update, in: db)
            #expect(record.version == 1)
            try expectFailure(.staleRecord) { try Appointment.update(stale, in: db) }
            #expect(try Appointment.where { $0.day == Self.noon }.fetch(in: db) == [record])
            #expect(try db.value("SELECT day FROM appointment", as: String.self) == "2026-11-21T12:00:00.000Z")
            let newest = try Appointment.query.value(in: db) { $0.day.max() }
            #expect(newest == Self.noon)
        }
    }

    @Test func anotherFormInTheFileIsAnError() async throws {
        try await TemporaryStore(tables: [table(Column<Date>("day", as: .iso8601WithBlank))]).store.write { db in
            try db.execute("INSERT INTO appointment (day) VALUES ('2026-11-21 12:00:00.000')")
            let error = try expectFailure(.tableDiffers) { try Appointment.all(in: db) }
            #expect(error.message.contains("DATETIME_TEXT"))
            #expect(error.message.contains("as: .iso8601WithBlank"))
            try expectFailure(.tableDiffers) { try Appointment.insert(Appointment(day: Self.noon), in: db) }
        }
    }

    /// Declares dates in their own form.
    @Table("appointment")
    struct Plain {
        var id: Int64?
        var day: Date?
    }

    @Test(arguments: DateForm.allCases)
    func aFormInTheFileIsNotTakenForThatOfDate(form: DateForm) async throws {
        try await TemporaryStore(tables: [table(Column<Date>("day", as: form))]).store.write { db in
            try expectFailure(.tableDiffers, saying: "as: \(form.name)", "not as REAL") { try Plain.all(in: db) }
        }
    }

    @Test(arguments: ["TEXT", "DATETIME", "VARCHAR(30)"])
    func aColumnOfAnotherProgramIsAccepted(type: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute(
                SQL(
                    stringLiteral:
                        "CREATE TABLE appointment (id INTEGER PRIMARY KEY, day \(type), version INTEGER DEFAULT 0)"))
            try db.execute("INSERT INTO appointment (day) VALUES ('2026-11-21T12:00:00.000Z')")
            #expect(try Appointment.all(in: db).map(\.day) == [Self.noon])
        }
    }

    @Test func aColumnWithRowsKeepsItsForm() async throws {
        let forms: [any SchemaColumn] = [
            Column<Date>("day"), Column<Date>("day", as: .since1970(.seconds)), Column<Date>("day", as: .iso8601),
        ]
        for (index, form) in forms.enumerated() {
            for (other, changed) in forms.enumerated() where other != index {
                let former = TableSchema("appointment", columns: [Appointment.columns.id.definition, form.definition])
                let store = try await TemporaryStore(tables: [former]).store
                let kind = index == 2 ? "'2026-11-21T12:00:00.000Z'" : "7.0"
                try await store.write { db in
                    try db.execute(SQL(stringLiteral: "INSERT INTO appointment (day) VALUES (\(kind))"))
                    let error = try expectFailure(.schemaChange) { try db.changeColumn(changed, in: "appointment") }
                    #expect(error.message.contains("does not convert"), "\(error.message)")
                    // Without rows there is nothing to convert.
                    try db.execute("DELETE FROM appointment")
                    try db.changeColumn(changed, in: "appointment")
                    #expect(try db.columns(of: "appointment").last?.declaredType == changed.definition.declaredType)
                }
            }
        }
    }

    @Test func anAutomaticMigratorRefusesAnotherForm() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.with(\.migrator, .automatic(tables: [table(Column<Date>("day"))])).using { store in
            _ = try await store.write { db in try db.execute("INSERT INTO appointment (day) VALUES (7.0)") }
        }
        let changed = vault.with(
            \.migrator, .automatic(tables: [table(Column<Date>("day", as: .since1970(.seconds)))]))
        let error = await #expect(throws: StrongroomError.self) { try await changed.using { _ in } }
        #expect(error?.description.contains("UNIXTIME_REAL") == true)
        try await vault.with(\.migrator, .automatic(tables: [table(Column<Date>("day"))])).using { store in
            let day = try await store.read { db in try db.value("SELECT day FROM appointment", as: Double.self) }
            #expect(day == 7)
        }
    }
}
