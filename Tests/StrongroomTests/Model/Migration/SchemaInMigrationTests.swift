import Strongroom
import StrongroomTesting
import Testing

@Suite("Typed changes of the schema in a migration")
struct SchemaInMigrationTests {
    private let vault = Vault(keys: .numbered(1))

    private static let person = TableSchema(
        "person", Column<Int64?>("id", primaryKey: true), Column<String>("name"), Column<Int?>("age"))

    @Test func everyChangeCanBeMadeInOneMigration() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.createTable(Self.person)
                try db.execute("INSERT INTO person (name, age) VALUES ('Ada', 36), ('Bo', 7)")
            }
            Migration("2") { db in
                try db.addColumn(Column<String?>("mail"), to: "person")
                try db.addColumn(Column<String>("code", unique: true, default: nil), to: "person")
            }
        }
        // A column that may hold none and has no default cannot be added to a table with rows; nothing of the step is
        // left.
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        let whole = Migrator {
            Migration("1") { db in
                try db.createTable(Self.person)
                try db.execute("INSERT INTO person (name, age) VALUES ('Ada', 36), ('Bo', 7)")
            }
            Migration("2") { db in
                try db.addColumn(Column<String?>("mail", unique: true), to: "person")
                try db.renameColumn("name", to: "full_name", in: "person")
                try db.changeColumn(Column<String?>("age"), in: "person")
                try db.createIndex(TableIndex("by_name", on: .column("full_name")), on: "person")
                try db.renameTable("person", to: "human")
                try db.createView("adult", as: "SELECT full_name FROM human WHERE CAST(age AS INTEGER) >= 18")
                try db.createTable(TableSchema("log", Column<String>("text")))
                try db.createTrigger(
                    Trigger(
                        "named", .after, .updateOf("full_name"), on: "human", when: "old.full_name <> new.full_name",
                        "INSERT INTO log VALUES (old.full_name)", "INSERT INTO log VALUES (new.full_name)"))
                try db.execute("UPDATE human SET full_name = 'Ida' WHERE full_name = 'Ada'")
                try db.dropColumn("mail", from: "human")
            }
            Migration("3") { db in
                #expect(try db.texts("SELECT full_name FROM adult") == ["Ida"])
                try db.dropView("adult")
                try db.dropTrigger("named")
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

    static let mistakes: [(name: String, code: StrongroomError.Code, step: Migration.Step)] = [
        ("a view of no table", .schemaChange, { db in try db.createView("v", as: "SELECT * FROM nowhere") }),
        ("a view with a bound value", .invalidDeclaration, { db in try db.createView("v", as: "SELECT \(1)") }),
        ("a view without a name", .invalidName, { db in try db.createView("", as: "SELECT 1") }),
        (
            "a trigger on no table", .sql,
            { db in try db.createTrigger(Trigger("t", .after, .insert, on: "nowhere", "SELECT 1")) }
        ),
        (
            "a trigger that writes no table", .schemaChange,
            { db in try db.createTrigger(Trigger("t", .after, .delete, on: "person", "DELETE FROM nowhere")) }
        ),
        (
            "a trigger without statements", .sql,
            { db in try db.createTrigger(Trigger("t", .before, .update, on: "person")) }
        ),
        ("a view that is not there", .sql, { db in try db.dropView("v") }),
        ("a trigger that is not there", .sql, { db in try db.dropTrigger("t") }),
    ]

    @Test(arguments: mistakes.indices)
    func aMistakeIsToldAndNothingIsMade(number: Int) async throws {
        let (name, code, step) = Self.mistakes[number]
        let migrator = Migrator {
            Migration("1") { db in
                try db.createTable(Self.person)
                let error = try #require(throws: StrongroomError.self, "\(name)") { try step(db) }
                #expect(error.code == code, "\(name): \(error)")
                #expect(try db.texts("SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')") == [])
                try db.dropView("v", ifExists: true)
                try db.dropTrigger("t", ifExists: true)
            }
        }
        try await vault.with(\.migrator, migrator).using { _ in }
    }

    @Test func aTriggerInPlaceOfAChangeIsMadeAndKept() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.createTable(Self.person)
                try db.createView("short", as: "SELECT id FROM person")
                try db.createTrigger(
                    Trigger("short_insert", .insteadOf, .insert, on: "short", "DELETE FROM person WHERE id = new.id"))
                try db.execute("INSERT INTO person (id, name) VALUES (7, 'Ada'), (8, 'Bob'), (9, 'Cleo')")
                try db.execute("INSERT INTO short (id) VALUES (7)")
                #expect(try db.value("SELECT count(*) FROM person", as: Int.self) == 2)
                try db.createTrigger(
                    Trigger("short_delete", .insteadOf, .delete, on: "short", "DELETE FROM person WHERE id = old.id"))
            }
        }
        try await vault.with(\.migrator, migrator).using { _ in }
        try await vault.with(\.migrator, migrator).write { db in
            try db.execute("INSERT INTO short (id) VALUES (8)")
            #expect(try db.value("SELECT group_concat(id) FROM person", as: String.self) == "9")
            try db.execute("DELETE FROM short WHERE id = 9")
            #expect(try db.value("SELECT count(*) FROM person", as: Int.self) == 0)
        }
    }
}
