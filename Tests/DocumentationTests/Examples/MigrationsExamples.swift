import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Migrations\"")
struct MigrationsExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var phone: String?
    }

    @Table("phone")
    struct Phone: Equatable {
        var id: Int64?
        var number: String
    }

    private struct Steps {
        var migrator: Migrator {
            Migrator(tables: [Contact.schema]) {
                Migration("1") { db in
                    try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
                }
                Migration("2") { db in
                    try db.addColumn(Column<String?>("phone"), to: "contact")
                } down: { db in
                    try db.dropColumn("phone", from: "contact")
                }
            }
        }
    }

    private struct TablesAlone {
        var migrator: Migrator { .automatic(tables: [Contact.schema, Phone.schema]) }
    }

    @Table("letter")
    struct Letter {
        var id: Int64?
        var text: String
    }

    @Table("trace")
    struct Trace {
        var id: Int64?
    }

    private static func migrator(keepsTrace: Bool) -> Migrator {
        Migrator {
            Migration("1") { db in try db.createTable(Contact.schema) }
            for year in 2024...2026 {
                Migration("letters \(year)") { db in try db.createTable(Letter.schema.named("letter_\(year)")) }
            }
            if keepsTrace {
                Migration("trace") { db in try db.createTable(Trace.schema) }
            }
        }
    }

    @Test(arguments: [false, true])
    func aListWithConditions(keepsTrace: Bool) async throws {
        let place = try Place(migrator: Self.migrator(keepsTrace: keepsTrace))
        let store = try await Stores(place).open("addressbook_alice.sqlite")
        let names = try await store.read { db in try db.tableNames() }
        #expect(names.contains("letter_2026"))
        #expect(names.contains("trace") == keepsTrace)
    }

    private struct TooOld: Error {}

    private static var squashed: Migrator {
        Migrator(tables: [Contact.schema]) {
            for version in 1...2 {
                Migration("\(version)") { _ in throw TooOld() }
            }
            Migration("3") { db in try db.execute("CREATE INDEX contact_phone ON contact (phone)") }
        }
    }

    @Test(arguments: [false, true])
    func aSquashedList(isTooOld: Bool) async throws {
        var place = try await oldPlace()
        if !isTooOld { try await Stores(place).open("addressbook_alice.sqlite").close() }
        place.migrator = Self.squashed
        guard isTooOld else {
            let store = try await Stores(place).open("addressbook_alice.sqlite")
            #expect(store.opening.migration?.applied == ["3"] && store.opening.migration?.changed == [])
            return try await store.close()
        }
        let error = await #expect(throws: StrongroomError.self) {
            _ = try await Stores(place).open("addressbook_alice.sqlite")
        }
        #expect(error?.code == .migrationFailed)
        place.migrator = Steps().migrator
        try await Stores(place).open("addressbook_alice.sqlite").close()
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    /// The step before the second one of ``Steps``, as a program of before had it.
    private static let before = Migrator {
        Migration("1") { db in
            try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        }
    }

    /// A place with a file at version 1, in which Ada stands, and the migrator of today.
    private func oldPlace() async throws -> Place {
        var place = try Place(migrator: Self.before)
        let store = try await Stores(place).open("addressbook_alice.sqlite")
        try await store.write { db in try db.execute("INSERT INTO contact (name) VALUES ('Ada')") }
        try await store.close()
        place.migrator = Steps().migrator
        return place
    }

    @Test func whoeverOpensAFileRunsTheStepsThatItLacks() async throws {
        let stores = try Stores(await oldPlace())
        let store = try await stores.open("addressbook_alice.sqlite")
        #expect(store.opening.migration?.from == "1" && store.opening.migration?.applied == ["2"])
        #expect(try await store.table(Contact.self).all() == [Contact(id: 1, name: "Ada")])

        try await store.migrate(to: "1")
        #expect(try await store.read { db in try db.columns(of: "contact").map(\.name) } == ["id", "name"])
        let fresh = try await stores.open("addressbook_bob.sqlite")
        #expect(fresh.opening.migration?.to == "2" && fresh.opening.migration?.steps.isEmpty == true)
        try await stores.closeAll()
    }

    @Test func aStepTellsHowFarItHasCome() async throws {
        let count = 2_500
        let migrator = Migrator {
            Migration("3") { db in
                try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
                for number in 1...count { try db.execute("INSERT INTO note (text) VALUES (\("note \(number)"))") }
            }
            Migration("4") { db in
                try db.addColumn(Column<Int>("length", default: 0), to: "note")
                try db.fill("length", of: "note", with: "length(text)")
            }
        }

        let reporting = migrator.reporting { progress in
            print(progress.step?.version ?? "", progress.done, progress.total)
        }

        let store = try await Stores(Place(migrator: reporting)).open("addressbook.sqlite")
        #expect(printed.lines.contains("4 1000 2500"), "\(printed.lines)")
        let sum = try await store.read { db in try db.value("SELECT sum(length) FROM note", as: Int.self) }
        let expected = (1...count).reduce(0) { (sum: Int, number: Int) -> Int in sum + "note \(number)".count }
        #expect(sum == expected)
        try await store.close()
    }

    @Test func theMigratorIsAskedFirst() async throws {
        let settings = StoreSettings(migration: .manual)  // migrates only on request

        var place = try await oldPlace()
        place.settings = settings
        let store = try await Stores(place).open("addressbook_alice.sqlite")

        let plan = try await store.migrationPlan()
        print(plan.from ?? "", plan.applies)
        let dryRun = try await store.dryRun()  // on an encrypted copy, which is removed at the end
        for step in dryRun.report.steps { print(step.version, step.duration, step.rows) }
        for change in dryRun.schemaChanges { print(change) }  // table "contact": column "phone" added
        try await store.migrate()

        #expect(printed.lines.first == #"1 ["2"]"#)
        #expect(printed.lines[1].hasPrefix("2 "))
        #expect(printed.lines.last == #"table "contact": column "phone" added"#)
        #expect(printed.lines.count == 3)
        #expect(try await store.table(Contact.self).count() == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path("")).count < 6)
        try await store.close()
    }

    @Test func aMigrationBackupRestoresTheDatabase() async throws {
        let settings = StoreSettings(migrationBackups: .newest(2))

        var place = try await oldPlace()
        place.settings = settings
        let stores = try Stores(place)
        try await stores.open("addressbook_alice.sqlite").close()

        let restored = try await stores.restoreMigrationBackup(of: "addressbook_alice.sqlite")

        #expect(restored.version == "1")
        place.migrator = Self.before
        let store = try await Stores(place).open("addressbook_alice.sqlite")
        #expect(store.opening.migration?.applied == [])
        #expect(try await store.read { db in try db.value("SELECT name FROM contact") } == "Ada")
        try await store.close()
    }

    @Test func tablesAloneAreComparedWithTheFile() async throws {
        var place = try await oldPlace()
        try await Stores(place).open("addressbook_alice.sqlite").close()
        place = try Place(migrator: .automatic(tables: [Phone.schema]))
        try await Stores(place).open("addressbook.sqlite").close()
        place.migrator = TablesAlone().migrator
        let store = try await Stores(place).open("addressbook.sqlite")
        #expect(store.opening.migration?.schemaChanges.contains { $0.contains("contact") } == true)
        #expect(try await store.read { db in try db.tableNames() }.contains("contact"))
        try await store.close()
    }
}
