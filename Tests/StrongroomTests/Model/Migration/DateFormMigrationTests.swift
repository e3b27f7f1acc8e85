import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
        static let upkeep: RecordUpkeep<Appointment>? = RecordUpkeep().version(\.version, "version")

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
            let error = try expectFailure(.tableDiffers) { try Plain.all(in: db) }
            #expect(error.message.contains("as: \(form.name)"))
            #expect(error.message.contains("not as REAL"))
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
