import Strongroom
import StrongroomTesting
import Testing

struct CreateTableTests {
    private static func statements(_ db: borrowing some Reading & ~Copyable) throws -> [String] {
        var statements: [String] = []
        try db.forEachRow("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name") { row in
            let name: String = try row[0]
            if !name.hasPrefix("sqlite_"), !name.hasPrefix("strongroom_") { statements.append(try row[1]) }
        }
        return statements
    }

    @Test func aTableIsMadeWithItsIndexes() async throws {
        try await TemporaryStore().store.write { db in
            try db.createTable(Contact.schema)
            let statements = try Self.statements(db)
            #expect(
                statements == [
                    """
                    CREATE TABLE `contact` (`id` INTEGER PRIMARY KEY, `name` TEXT NOT NULL, `email` TEXT NOT NULL \
                    UNIQUE, 
                    """
                        + "`phone` TEXT, `score` REAL NOT NULL DEFAULT (0.0), `photo` BLOB NOT NULL)",
                    "CREATE INDEX `contact_name` ON `contact` (`name`)",
                ])
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            #expect(try Contact.count(in: db) == 3)
        }
    }

    @Test func everyKindOfColumnIsDeclared() async throws {
        let schema = TableSchema(
            "kinds",
            Column<Int64?>("id", primaryKey: true, autoincrement: true),
            Column<Bool>("flag", default: true), Column<UInt8?>("small"), Column<Float>("ratio"),
            Column<Value>("any"), Column<[UInt8]?>("bytes", unique: true),
            indexes: [
                TableIndex(on: Column<Bool>("flag"), Column<UInt8?>("small"), unique: true),
                TableIndex("by ratio", on: Column<Float>("ratio")),
            ]
        )
        try await TemporaryStore(tables: [schema]).store.read { db in
            let statements = try Self.statements(db)
            #expect(
                statements == [
                    """
                    CREATE TABLE `kinds` (`id` INTEGER PRIMARY KEY AUTOINCREMENT, `flag` INTEGER NOT NULL DEFAULT (1), 
                    """
                        + "`small` INTEGER, `ratio` REAL NOT NULL, `any` BLOB, `bytes` BLOB UNIQUE)",
                    "CREATE INDEX `by ratio` ON `kinds` (`ratio`)",
                    "CREATE UNIQUE INDEX `kinds_flag_small` ON `kinds` (`flag`, `small`)",
                ])
        }
    }

    @Test func aTextKeyIsNeverNull() async throws {
        let schema = TableSchema("named", Column<String?>("name", primaryKey: true), Column<Int>("size"))
        try await TemporaryStore(tables: [schema]).store.write { db in
            try expectFailure(.constraint) { try db.execute("INSERT INTO named VALUES (NULL, 1)") }
            try db.execute("INSERT INTO named VALUES ('a', 1)")
            try expectFailure(.constraint) { try db.execute("INSERT INTO named VALUES ('a', 2)") }
        }
    }

    @Test func anIndexIsUsed() async throws {
        let plan = try await TemporaryStore(tables: [Contact.schema]).store.read { db in
            var plan = ""
            try db.forEachRow("EXPLAIN QUERY PLAN SELECT id FROM contact WHERE name = \("x")") { row in
                plan += try row["detail"] as String
            }
            return plan
        }
        #expect(plan.contains("contact_name"))
    }

    @Test func oddNamesAreQuotedEverywhere() async throws {
        let (key, other) = (Column<Int64?>("the `key`", primaryKey: true), Column<String>("sel\"ect; --", unique: true))
        let schema = TableSchema("order by 'x'", key, other, indexes: [TableIndex(on: other, key)])
        try await TemporaryStore(tables: [schema]).store.write { db in
            #expect(try db.tableNames() == ["order by 'x'"])
            try db.addColumn(Column<String>("group", default: "it's"), to: schema.name)
            try db.createIndex(TableIndex("in dex", on: Column<String>("group")), on: schema.name)
            try db.execute("INSERT INTO \(name: schema.name) (\(name: "sel\"ect; --")) VALUES (\("a"))")
            #expect(try db.value("SELECT \(name: "group") FROM \(name: schema.name)", as: String.self) == "it's")
            try db.dropIndex("in dex")
            try db.dropTable(schema.name)
            #expect(try db.tableNames() == [])
        }
    }

    @Test func aNameThatCannotBeUsedIsRefused() async throws {
        let id = Column<Int64?>("id", primaryKey: true)
        let names = [
            TableSchema("", id), TableSchema("a\0b", id), TableSchema("t", id, Column<Int>("")),
            TableSchema("t", id, Column<Int>("a\0")),
        ]
        let twice = [
            TableSchema("t", id, Column<Int>("a"), Column<Int>("a")),
            TableSchema("t", id, Column<Int>("name"), Column<Int>("NAME")),
        ]
        try await TemporaryStore().store.write { db in
            for schema in names { try expectFailure(.invalidName) { try db.createTable(schema) } }
            for schema in twice { try expectFailure(.invalidDeclaration) { try db.createTable(schema) } }
            #expect(try db.tableNames() == [])
        }
    }

    @Test func aTableThatIsThereIsNotMadeAgain() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(), in: db)
            try expectFailure(.sql, saying: "already exists") { try db.createTable(Contact.schema) }
            #expect(try Contact.count(in: db) == 1)
        }
    }

    @Test func aTableWhoseIndexFailsIsNotMade() async throws {
        let id = Column<Int64?>("id", primaryKey: true)
        let schema = TableSchema("half", id, indexes: [TableIndex(on: id), TableIndex(on: Column<Int>("missing"))])
        try await TemporaryStore().store.write { db in
            try expectFailure(.sql) { try db.createTable(schema) }
            #expect(try db.tableNames() == [])
        }
    }

    @Test func aTableWithoutAKeyCannotBeUsedByKey() async throws {
        try await TemporaryStore().store.write { db in
            try db.createTable(Keyless.schema)
            try Keyless.insert(Keyless(word: "a"), in: db)
            #expect(try Keyless.where { $0.word == "a" }.count(in: db) == 1)
            try expectFailure(.notDeclared, saying: "\"keyless\" has no primary key") { try Keyless.find(1, in: db) }
            try expectFailure(.notDeclared) { try Keyless.delete(1, in: db) }
            try expectFailure(.notDeclared) { try Keyless.upsert(Keyless(word: "b"), in: db) }
        }
    }
}

private struct Keyless: Table, Record {
    var word: String

    struct Columns: Sendable {
        let word = Column<String>("word")
    }

    static let columns = Columns()
    static let schema = TableSchema("keyless", columns.word)
    static func key(of record: Keyless) -> Int64? { nil }
    static func setKey(_ key: Int64, of record: inout Keyless) {}

    init(word: String) { self.word = word }
    init(row: borrowing Row) throws { word = try row[0] }
    func encode(to bindings: borrowing Bindings) throws { try bindings.set(word, at: 0) }
}
