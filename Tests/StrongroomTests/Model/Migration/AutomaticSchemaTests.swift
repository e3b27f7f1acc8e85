import Strongroom
import StrongroomTesting
import Testing

@Suite("A schema that follows the declared tables")
struct AutomaticSchemaTests {
    private let vault = Vault(keys: .numbered(1))

    private static let id = Column<Int64?>("id", primaryKey: true)

    private func automatic(_ tables: TableSchema..., removingColumns: Bool = false) -> Vault {
        vault.with(\.migrator, .automatic(tables: tables, removingColumns: removingColumns))
    }

    /// Opens the file with declared tables.
    ///
    /// - Returns: What was done.
    @discardableResult
    private func adapt(_ tables: TableSchema..., removingColumns: Bool = false) async throws -> [String] {
        let vault = vault.with(\.migrator, .automatic(tables: tables, removingColumns: removingColumns))
        let done = try await vault.using { store in store.openReport.migration?.schemaChanges ?? [] }
        // It is settled: another opening writes nothing.
        let before = try DirectorySnapshot(vault.directory)
        let again = try await vault.using { store in store.openReport.migration?.schemaChanges }
        #expect(again == [])
        try before.expectUntouched()
        return done
    }

    private func execute(_ statements: SQL...) async throws {
        try await vault.with(\.migrator, nil).write { db in for sql in statements { try db.execute(sql) } }
    }

    private func texts(_ query: SQL) async throws -> [String] {
        try await vault.with(\.migrator, nil).using { store in try await store.read { db in try db.texts(query) } }
    }

    private static let contact = TableSchema(
        "contact", id, Column<String>("name"), Column<String?>("mail", indexed: true))

    /// A file of the first declaration with some rows.
    private func prepare() async throws {
        try await adapt(Self.contact)
        try await execute("INSERT INTO contact VALUES (1, 'Ada', 'a@x'), (2, 'Bo', NULL)")
    }

    @Test func aNewFileGetsTheTablesAndTheirIndexes() async throws {
        #expect(
            try await adapt(Self.contact, Contact.schema.named("other")) == [
                "table \"contact\" added", "table \"other\" added",
            ])
        #expect(try await texts("SELECT name FROM sqlite_master WHERE name = 'contact_mail'") == ["contact_mail"])
        let own: SQL = "SELECT name FROM sqlite_master WHERE name LIKE 'strongroom%'"
        #expect(try await texts(own) == ["strongroom_database"])
    }

    @Test func whatIsMissingIsAddedAndTheRowsStay() async throws {
        try await prepare()
        let declared = TableSchema(
            "contact", Self.id, Column<String>("name"), Column<String?>("mail", indexed: true),
            Column<Int>("age", indexed: true, default: 7), Column<String?>("code", unique: true),
            indexes: [TableIndex("by_name", on: .column("name"), .column("age"))])
        #expect(
            try await adapt(declared, TableSchema("log", Column<String>("text"))) == [
                "table \"contact\": column \"age\" added", "table \"contact\": column \"code\" added",
                "table \"contact\": index \"by_name\" added", "table \"contact\": index \"contact_age\" added",
                "table \"log\" added",
            ])
        #expect(try await texts("SELECT name || age FROM contact ORDER BY id") == ["Ada7", "Bo7"])
    }

    @Test func aRenamedColumnKeepsItsDataAndItsIndexFollows() async throws {
        try await prepare()
        let declared = TableSchema(
            "contact", Self.id, Column<String>("full_name", previously: "name"),
            Column<String?>("address", indexed: true, previously: "mail"))
        let done = try await adapt(declared, removingColumns: true)
        #expect(done.contains("table \"contact\": column \"name\" renamed to \"full_name\""))
        #expect(done.contains("table \"contact\": column \"mail\" renamed to \"address\""))
        #expect(
            try await texts("SELECT full_name || ifnull(address, '-') FROM contact ORDER BY id") == ["Adaa@x", "Bo-"])
        #expect(
            try await texts("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name") == ["contact_address"])
    }

    @Test func columnsAreRemovedOnlyOnRequest() async throws {
        try await prepare()
        let declared = TableSchema("contact", Self.id, Column<String>("name"))
        #expect(try await adapt(declared) == [])
        #expect(try await texts("SELECT mail FROM contact WHERE id = 1") == ["a@x"])
        #expect(
            try await adapt(declared, removingColumns: true) == [
                "table \"contact\": index \"contact_mail\" removed", "table \"contact\": column \"mail\" removed",
            ])
        #expect(try await texts("SELECT name FROM contact ORDER BY id") == ["Ada", "Bo"])
    }

    @Test func aColumnWithoutWhichNothingCouldBeInsertedIsRefused() async throws {
        try await prepare()
        let declared = TableSchema("contact", Self.id, Column<String?>("mail"))
        try await expectFailure(.schemaChange, saying: "\"name\"") { try await automatic(declared).open() }
    }

    @Test func valuesThatFitAreConverted() async throws {
        try await adapt(TableSchema("t", Self.id, Column<String?>("a"), Column<Int>("b")))
        try await execute("INSERT INTO t VALUES (1, '12', 3), (2, NULL, 4)")
        let declared = TableSchema("t", Self.id, Column<Int>("a", default: 5), Column<String>("b"))
        #expect(
            try await adapt(declared) == ["table \"t\": column \"a\" changed", "table \"t\": column \"b\" changed"])
        #expect(
            try await texts("SELECT typeof(a) || a || typeof(b) || b FROM t ORDER BY id") == [
                "integer12text3", "integer5text4",
            ])
    }

    static let refused: [(name: String, column: any SchemaColumn)] = [
        ("a text that is no number", Column<Int?>("a")),
        ("NULL where none may be", Column<String>("a")),
        ("values that are not unique", Column<String?>("a", unique: true)),
        ("values that break a check", Column<String?>("a", check: "a <> 'x'")),
        ("rows that point to nothing", Column<String?>("a", references: Reference("t"))),
    ]

    @Test(arguments: refused.indices)
    func whatDoesNotFitIsRefusedAndTheFileStays(number: Int) async throws {
        let (name, column) = Self.refused[number]
        try await adapt(TableSchema("t", Self.id, Column<String?>("a")))
        try await execute("INSERT INTO t VALUES (1, 'x'), (2, 'x'), (3, NULL)")
        // The first table would be made by itself; nothing of it is left.
        let declared = [TableSchema("first", Self.id), TableSchema("t", Self.id, column)]
        let error = try await expectFailure(.migrationFailed) {
            try await vault.with(\.migrator, .automatic(tables: declared)).open()
        }
        #expect(error.message.contains("could not be changed to their declarations"), "\(name)")
        #expect(try await texts("SELECT name FROM sqlite_master WHERE type = 'table'") == ["t"], "\(name)")
        #expect(try await texts("SELECT ifnull(a, '-') FROM t ORDER BY id") == ["x", "x", "-"], "\(name)")
    }

    static let otherKeys: [TableSchema] = [
        TableSchema("t", Column<Int64?>("number", primaryKey: true), Column<String?>("a")),
        TableSchema("t", Column<String>("id", primaryKey: true), Column<String?>("a")),
        TableSchema("t", id, Column<String>("a", primaryKey: true)),
        TableSchema("t", Column<Int64?>("id"), Column<String?>("a")),
    ]

    @Test(arguments: otherKeys.indices)
    func anotherPrimaryKeyIsRefused(number: Int) async throws {
        try await adapt(TableSchema("t", Self.id, Column<String?>("a")))
        let before = try DirectorySnapshot(vault.directory)
        let error = try await expectFailure(.schemaChange) { try await automatic(Self.otherKeys[number]).open() }
        #expect(error.message.contains("primary key"))
        try before.expectUntouched()
    }

    @Test func anIndexOfAnotherFormIsMadeAnew() async throws {
        func declared(_ index: TableIndex) -> TableSchema {
            TableSchema("t", Self.id, Column<String>("a"), Column<String>("b"), indexes: [index])
        }
        try await adapt(declared(TableIndex("by", on: .column("a"))))
        #expect(
            try await adapt(declared(TableIndex("by", on: .column("a"), .column("b", descending: true)))) == [
                "table \"t\": index \"by\" removed", "table \"t\": index \"by\" added",
            ])
    }

    @Test func aTableThatWasWrittenByHandIsTakenOver() async throws {
        try await execute(
            "CREATE TABLE contact (id integer primary key, name varchar(80) not null, mail TEXT, extra)",
            "INSERT INTO contact VALUES (1, 'Ada', 'a@x', 9)")
        try await adapt(Self.contact)
        #expect(try await texts("SELECT name || mail || extra FROM contact") == ["Adaa@x9"])
    }

    @Test func aFileThatHasBeenThroughVersionsIsRefused() async throws {
        try await vault.keep("a")
        let before = try DirectorySnapshot(vault.directory)
        try await expectFailure(.otherMigrations, saying: "version \"1\"") { try await automatic(Self.contact).open() }
        try before.expectUntouched()
    }

    @Test func stepsCanTakeOverLater() async throws {
        try await prepare()
        let steps = Migrator { Migration("1") { db in try db.addColumn(Column<Int?>("age"), to: "contact") } }
        #expect(try await vault.with(\.migrator, steps).using { $0.openReport.migration?.applied } == ["1"])
        try await expectFailure(.otherMigrations) { try await automatic(Self.contact).open() }
    }

    @Test func mistakesInTheDeclarationAreToldBeforeAFileIsMade() async throws {
        try await expectFailure(.invalidMigrator) { try await automatic(Self.contact, Self.contact).open() }
        try await expectFailure(.invalidName) { try await automatic(TableSchema("", Self.id)).open() }
    }

    @Test func whatWouldBeDoneIsPlannedAndTriedWithoutAWrite() async throws {
        try await prepare()
        let declared = TableSchema(
            "contact", Self.id, Column<String>("name"), Column<String?>("mail", indexed: true), Column<Int?>("age"))
        try await automatic(declared).with(\.settings.migration, .manual).using { store in
            let plan = try await store.migrationPlan()
            #expect(plan.schemaChanges == ["table \"contact\": column \"age\" added"] && !plan.isEmpty)
            let trial = try await store.dryRun()
            #expect(trial.schemaChanges == plan.schemaChanges)
            let report = try await store.migrate()
            #expect(report.schemaChanges == plan.schemaChanges)
            try await expectFailure(.invalidArgument) { try await store.migrate(to: "2") }
        }
    }

    // MARK: Found by readers

    private static let (text, integer, real) = (
        Column<String>("value"), Column<Int>("value"), Column<Double>("value")
    )

    static let lossy: [(old: any SchemaColumn, new: any SchemaColumn, value: SQL)] = [
        (text, integer, "'0012'"), (integer, real, "9007199254740993"), (integer, real, "9223372036854775807"),
        (integer, Column<[UInt8]>("value"), "7"), (real, text, "0.1 + 0.2"), (text, real, "'12345678901234567890'"),
    ]

    @Test(arguments: lossy.indices)
    func aValueThatWouldBeAnotherOneIsKeptAndTheChangeRefused(number: Int) async throws {
        let (old, new, value) = Self.lossy[number]
        try await adapt(TableSchema("thing", Self.id, old))
        try await execute("INSERT INTO thing VALUES (1, \(value))")
        let before = try await texts("SELECT '' || quote(value) FROM thing")
        let declared = TableSchema("thing", Self.id, new)
        try await expectFailure(.migrationFailed) { try await automatic(declared).open() }
        #expect(try await texts("SELECT '' || quote(value) FROM thing") == before)
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns, "the engine knows no generated columns"))
    func aColumnThatBecomesGeneratedLosesItsValuesOnlyOnRequest() async throws {
        try await adapt(TableSchema("thing", Self.id, Column<Int?>("value"), Column<Int?>("twice")))
        try await execute("INSERT INTO thing VALUES (1, 5, 77)")
        try await adapt(TableSchema("empty", Self.id, Column<Int?>("a"), Column<Int?>("b")))
        try await execute("INSERT INTO empty VALUES (1, 5, NULL)")
        // Where it has no values there is nothing to lose.
        try await adapt(
            TableSchema("empty", Self.id, Column<Int?>("a"), Column<Int?>("b", generated: .stored("a * 2"))))
        #expect(try await texts("SELECT a || ' ' || b FROM empty") == ["5 10"])
        let declared = TableSchema(
            "thing", Self.id, Column<Int?>("value"),
            Column<Int?>("double", generated: .stored("value * 2"), previously: "twice"))
        let before = try DirectorySnapshot(vault.directory)
        let error = try await expectFailure(.schemaChange) { try await automatic(declared).open() }
        #expect(error.message.contains("\"twice\" of table \"thing\"") && error.message.contains("remove columns"))
        try before.expectUntouched()
        try await adapt(declared, removingColumns: true)
        #expect(try await texts("SELECT value || ' ' || double FROM thing") == ["5 10"])
    }

    static let sameIndexNames: [[TableSchema]] = [
        [
            TableSchema("one", id, Column<Int?>("a"), indexes: [TableIndex("by_a", on: .column("a"))]),
            TableSchema("two", id, Column<Int?>("a"), indexes: [TableIndex("BY_A", on: .column("a"))]),
        ],
        [
            TableSchema("one", id, Column<Int?>("two_a", indexed: true)),
            TableSchema("one_two", id, Column<Int?>("a", indexed: true)),
        ],
        [TableSchema("one", id, Column<Int?>("a", indexed: true)), TableSchema("one_a", id)],
    ]

    @Test(arguments: sameIndexNames.indices)
    func anIndexThatHasAnothersNameIsRefusedBeforeAFileIsMade(number: Int) async throws {
        try await expectFailure(.invalidMigrator, saying: "The index \"") {
            try await vault.with(\.migrator, .automatic(tables: Self.sameIndexNames[number])).open()
        }
        #expect(try DirectorySnapshot(vault.directory).names == [])
    }

    @Test(arguments: [true, false]) func anIndexOfAnotherTableStays(isThere: Bool) async throws {
        try await execute("CREATE TABLE other (a INTEGER)", "CREATE INDEX By_A ON other (a)")
        if isThere { try await execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, a INTEGER)") }
        let before = try DirectorySnapshot(vault.directory)
        let declared = TableSchema(
            "thing", Self.id, Column<Int?>("a"), indexes: [TableIndex("by_a", on: .column("a"))])
        let error = try await expectFailure(.schemaChange) { try await automatic(declared).open() }
        #expect(error.message.contains("\"By_A\"") && error.message.contains("\"thing\""))
        #expect(error.message.contains("\"other\""))
        try before.expectUntouched()
    }

    /// The rebuild that the new column needs leaves out the table's name before the check's column.
    @Test func aCheckThatNamesItsTableIsSettledAfterARebuild() async throws {
        let age = Column<Int>("age", default: 1, check: "thing.age > 0")
        try await adapt(TableSchema("thing", Self.id, age))
        let declared = TableSchema("thing", Self.id, age, Column<String?>("code", unique: true))
        #expect(try await adapt(declared) == ["table \"thing\": column \"code\" added"])
        try await expectFailure(.constraint) { try await execute("INSERT INTO thing VALUES (1, 0, NULL)") }
        #expect(
            try await adapt(TableSchema("thing", Self.id, Column<Int>("age", default: 1, check: "thing.age > 1")))
                == ["table \"thing\": column \"age\" changed"])
    }

    @Test func aColumnThatWasRenamedTwiceIsANewOneWhereTheFirstRenamingWasSkipped() async throws {
        try await adapt(TableSchema("thing", Self.id, Column<String?>("a")))
        try await execute("INSERT INTO thing VALUES (1, 'x')")
        let declared = TableSchema("thing", Self.id, Column<String?>("c", previously: "b"))
        #expect(try await adapt(declared) == ["table \"thing\": column \"c\" added"])
        #expect(try await texts("SELECT a || quote(c) FROM thing") == ["xNULL"])
    }

    @Test func aFormerNameThatIsANewColumnTodayIsStillTheFormerOne() async throws {
        try await adapt(TableSchema("thing", Self.id, Column<String?>("email")))
        try await execute("INSERT INTO thing VALUES (1, 'old@example.org')")
        let new = TableSchema(
            "thing", Self.id, Column<String?>("mail", previously: "email"), Column<String?>("email"))
        try await adapt(new)
        #expect(try await texts("SELECT mail FROM thing") == ["old@example.org"])
        #expect(try await texts("SELECT quote(email) FROM thing") == ["NULL"])
    }

    @Test func aDeclaredFormOfAnIndexOnANewColumnIsTheOneThatIsMade() async throws {
        try await adapt(TableSchema("thing", Self.id))
        let email = Column<String?>("email", indexed: true)
        let index = TableIndex(on: email, unique: true)
        try await adapt(TableSchema("thing", Self.id, email, indexes: [index]))
        try await execute("INSERT INTO thing VALUES (1, 'a')")
        try await expectFailure(.constraint) { try await execute("INSERT INTO thing VALUES (2, 'a')") }
    }
}
