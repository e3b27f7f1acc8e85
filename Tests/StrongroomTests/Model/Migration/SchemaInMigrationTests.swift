import Strongroom
import StrongroomTesting
import Testing

@Suite("Typed changes of the schema in a migration")
struct SchemaInMigrationTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
    }

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
