import Foundation
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
            Column<SQLValue>("any"), Column<[UInt8]?>("bytes", unique: true),
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

private enum Mood: String, ColumnValue {
    case calm, it_s = "it's"
}

/// A column's default, as the engine fills it in where SQL of one's own leaves the column out.
struct DefaultTests {
    /// Checks that defaults come back as they were given, in a new table and in a new column of an old one.
    private func expectDefaults<Content: ColumnValue, Identity: Equatable>(
        _ defaults: [Content],
        by identity: (Content) -> Identity,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (made, added) = try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE old (id INTEGER PRIMARY KEY)")
            try db.execute("INSERT INTO old VALUES (1)")
            var (made, added): ([Content], [Content]) = ([], [])
            for (index, value) in defaults.enumerated() {
                let column = Column<Content>("c\(index)", default: value)
                try db.createTable(TableSchema("t\(index)", Column<Int64?>("id", primaryKey: true), column))
                try db.execute("INSERT INTO \(name: "t\(index)") DEFAULT VALUES")
                made.append(try #require(try db.value("SELECT \(name: "c\(index)") FROM \(name: "t\(index)")")))
                try db.addColumn(column, to: "old")
                added.append(try #require(try db.value("SELECT \(name: "c\(index)") FROM old")))
            }
            return (made, added)
        }
        #expect(made.map(identity) == defaults.map(identity), sourceLocation: sourceLocation)
        #expect(added.map(identity) == defaults.map(identity), sourceLocation: sourceLocation)
    }

    @Test func integersAndBools() async throws {
        try await expectDefaults([Int64.min, .min + 1, -1, 0, 1, .max], by: \.self)
        try await expectDefaults([true, false], by: \.self)
        try await expectDefaults([UInt8.max, 0], by: \.self)
    }

    @Test func numbers() async throws {
        let numbers: [Double] = [
            0, 1, -1, 0.1, -0.1, 1e10, 1e20, -1e100, 1e-5, .infinity, -.infinity, .pi, 123_456.789,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude,
        ]
        var generator = SeededGenerator(51)
        try await expectDefaults(numbers + (0..<60).map { _ in generator.number() }, by: \.self)
    }

    @Test func texts() async throws {
        let texts = [
            "", "a", "it's", "''", "'", "\"", "`", "'); DROP TABLE old; --", "a\0b", "\0", "\0'", "NULL", "1", "é",
            "漢👩‍👩‍👧",
            "'\u{301}", "\u{301}'", "line\nbreak", "CURRENT_TIMESTAMP", "x'00'", "\\",
        ]
        try await expectDefaults(texts) { Array($0.utf8) }
        try await expectDefaults([Mood.calm, .it_s], by: \.self)
    }

    @Test func bytes() async throws {
        try await expectDefaults([[], [0], [0, 15, 16, 255], Array("'".utf8)], by: \.self)
    }

    /// Neither a default nor an initial value that has no stored form is left out silently.
    @Test(
        arguments: [
            Column<Double>("broken", initial: .nan), Column<Double?>("broken", initial: .nan),
            Column<Double>("broken", default: .nan), Column<UInt64>("broken", initial: .max),
            Column<Decimal>("broken", scale: 2, initial: Decimal(string: "0.001")),
            Column<Date>("broken", as: .iso8601, initial: Date(timeIntervalSince1970: -1e12)),
        ] as [any SchemaColumn])
    func valuesWithoutAStoredFormAreRefused(_ column: any SchemaColumn) async throws {
        let store = try await TemporaryStore().store
        let key = Column<Int64?>("id", primaryKey: true).definition
        try await store.write { db in
            try db.execute("CREATE TABLE old (id INTEGER PRIMARY KEY)")
            let schema = TableSchema("t", columns: [key, column.definition])
            let new = #expect(throws: StrongroomError.self) { try db.createTable(schema) }
            let added = #expect(throws: StrongroomError.self) { try db.addColumn(column, to: "old") }
            for error in [new, added] {
                #expect(error?.code == .valueNotStorable)
                #expect(error?.message.hasPrefix("Column \"broken\" cannot have its ") == true)
            }
            #expect(try !db.hasTable("t"))
        }
    }

    @Test func valuesOfAnyClassAndOptionals() async throws {
        try await expectDefaults([SQLValue.integer(1), .real(1.5), .text("1"), .blob([1])], by: \.self)
        try await expectDefaults(["a", "b"] as [String?], by: \.self)
        // A default of nil is none.
        try await TemporaryStore().store.write { db in
            let column = Column<Int?>("a", default: .some(nil))
            try db.createTable(TableSchema("t", Column<Int64?>("id", primaryKey: true), column))
            try db.execute("INSERT INTO t DEFAULT VALUES")
            #expect(try db.value("SELECT a FROM t", as: Int?.self) == .some(nil))
            try expectFailure(.schemaChange) { try db.addColumn(Column<Int>("b"), to: "t") }
        }
    }
}

/// A constraint's failure tells its kind, table and columns as data.
struct ConstraintFailureTests {
    private static let parent = TableSchema(
        "person", Column<Int64?>("id", primaryKey: true),
        Column<String>("name", unique: true, check: "length(name) < 9"))
    private static let child = TableSchema(
        "book", Column<Int64>("shelf", primaryKey: true), Column<Int64>("place", primaryKey: true),
        Column<Int64?>("author", references: Reference("person", onDelete: .restrict, deferred: false)),
        Column<Int64?>("owner", references: Reference("person", column: "id", deferred: true)))

    @Test(arguments: [
        ("INSERT INTO person VALUES (1, 'b')", ConstraintFailure.Kind.primaryKey, ["id"], "person"),
        ("INSERT INTO person VALUES (2, 'a')", .unique, ["name"], "person"),
        ("INSERT INTO person VALUES (2, NULL)", .notNull, ["name"], "person"),
        ("INSERT INTO book VALUES (1, 1, NULL, NULL)", .primaryKey, ["shelf", "place"], "book"),
        ("INSERT INTO person VALUES (2, '123456789')", .check, [], ""),
        ("INSERT INTO book VALUES (1, 2, 99, NULL)", .foreignKey, [], ""),
        ("DELETE FROM person", .foreignKey, [], ""),
    ])
    func theConstraintIsNamed(
        sql: String, kind: ConstraintFailure.Kind, columns: [String], table: String
    ) async throws {
        try await TemporaryStore(tables: [Self.parent, Self.child]).store.write { db in
            try db.execute("INSERT INTO person VALUES (1, 'a')")
            try db.execute("INSERT INTO book VALUES (1, 1, 1, NULL)")
            let error = try expectFailure(.constraint) { try db.execute(SQL(stringLiteral: sql)) }
            let failure = try #require(error.constraint)
            #expect(failure.kind == kind, "\(error)")
            #expect(failure.columns == columns)
            #expect((failure.table ?? "") == table)
        }
    }

    @Test func aDeferredReferenceIsFoundAtTheCommit() async throws {
        let store = try await TemporaryStore(tables: [Self.parent, Self.child]).store
        let error = try await expectFailure(.constraint) {
            try await store.write { db in _ = try db.execute("INSERT INTO book VALUES (1, 1, NULL, 7)") }
        }
        #expect(error.constraint?.kind == .foreignKey)
        #expect(error.constraint?.table == "book")
        #expect(error.constraint?.parentTable == "person")
        #expect(try await store.read { db in try db.value("SELECT count(*) FROM book", as: Int.self) } == 0)
    }
}

// CTPersistance, "schema and status": columns of a table, list of tables, last inserted row id, rows changed.
struct StatusTests {
    @Test("schema and status: what a table has can be asked")
    func whatATableHasCanBeAsked() async throws {
        let schema = TableSchema(
            "both", Column<Int64>("a", primaryKey: true), Column<String>("b", primaryKey: true),
            Column<Double?>("c", indexed: true, default: 1), Column<String?>("d", collation: .noCase),
            indexes: [
                TableIndex("some", on: .column("d", collation: .binary, descending: true), where: "c > 1"),
                TableIndex("computed", on: .expression("lower(d)"), unique: true),
            ])
        try await TemporaryStore(tables: [schema]).store.read { db in
            #expect(try db.hasTable("BOTH"))
            #expect(try !db.hasTable("neither"))
            let columns = try db.columns(of: "both")
            #expect(columns.map(\.name) == ["a", "b", "c", "d"])
            #expect(columns.map(\.declaredType) == ["INTEGER", "TEXT", "REAL", "TEXT"])
            #expect(columns.map(\.isNullable) == [false, false, true, true])
            #expect(columns.map(\.keyPosition) == [1, 2, nil, nil])
            #expect(columns[2].defaultSQL != nil)
            let indexes = try db.indexes(of: "both")
            #expect(indexes.filter(\.isExplicit).map(\.name) == ["both_c", "computed", "some"])
            let some = try #require(indexes.first { $0.name == "some" })
            #expect(some.isPartial && !some.isUnique)
            #expect(some.parts.map(\.column) == ["d"])
            #expect(some.parts.map(\.isDescending) == [true])
            #expect(some.parts.map(\.collation) == [.binary])
            #expect(indexes.first { $0.name == "computed" }?.parts.first?.column == nil)
            #expect(indexes.filter { !$0.isExplicit }.map { $0.parts.map(\.column) } == [["a", "b"]])
            try expectFailure(.sql) { try db.columns(of: "neither") }
            try expectFailure(.sql) { try db.indexes(of: "neither") }
        }
    }

    @Test("schema and status: last inserted row id and rows changed")
    func theLastKeyAndTheChangedRowsAreTold() async throws {
        let store = try await TemporaryStore(tables: [Cell<Int64>.schema]).store
        try await store.write { db in
            try Cell.insert(contentsOf: [Cell(Int64(1)), Cell(Int64(2)), Cell(Int64(3))], in: db)
            #expect(db.lastInsertedRowID == 3)
            try db.execute("UPDATE cell SET content = 5 WHERE id < 3")
            #expect(db.changedRows == 2)
            #expect(db.changedRowsInTransaction == 5)
        }
        try await store.write { db in #expect(db.changedRowsInTransaction == 0) }
    }

    @Test("table: created and dropped where it may be there already")
    func existingTablesAreNotChanged() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(), in: db)
            try expectFailure(.sql, saying: "already exists") { try db.createTable(Contact.schema) }
            try db.createTable(Contact.schema, ifNotExists: true)
            try db.createIndex(TableIndex(on: Contact.columns.name), on: "contact", ifNotExists: true)
            #expect(try Contact.count(in: db) == 1)
            try db.createTable(Contact.schema.named("old contact"))
            #expect(try db.indexes(of: "old contact").filter(\.isExplicit).map(\.name) == ["old contact_name"])
            try db.dropTable("nowhere", ifExists: true)
            try db.dropIndex("nowhere", ifExists: true)
        }
    }

    @Test("table: a bound value has no place in a schema")
    func aBoundValueHasNoPlaceInASchema() async throws {
        let store = try await TemporaryStore().store
        let limit = 3
        try await store.write { db in
            let checked = TableSchema("t", Column<Int>("a", check: "a > \(limit)"))
            try expectFailure(.invalidDeclaration, saying: "write a literal") { try db.createTable(checked) }
            try db.createTable(TableSchema("t", Column<Int>("a", check: "a > 3")))
            try expectFailure(.invalidDeclaration) {
                try db.createIndex(TableIndex("i", on: .column("a"), where: "a = \(limit)"), on: "t")
            }
            let failure = try expectFailure(.constraint) { try db.execute("INSERT INTO t VALUES (1)") }
            #expect(failure.constraint?.kind == .check)
        }
    }

    @Test("table: generated columns, or an error that says from which engine on")
    func generatedColumnsAreMadeOrRefused() async throws {
        let store = try await TemporaryStore().store
        let schema = TableSchema(
            "t", Column<Int>("a"), Column<Int?>("s", generated: .stored("a * 2")),
            Column<Int?>("v", generated: .virtual("a * 3")))
        try await store.write { db in
            guard try EngineFeatures.current().hasGeneratedColumns else {
                try expectFailure(.notSupported, saying: "3.31") { try db.createTable(schema) }
                return
            }
            try db.createTable(schema)
            try db.execute("INSERT INTO t (a) VALUES (5)")
            #expect(try db.value("SELECT s + v FROM t", as: Int.self) == 25)
            #expect(try db.columns(of: "t").map(\.generated) == [nil, .stored, .virtual])
            try db.dropColumn("s", from: "t")
            try db.addColumn(Column<Int?>("s", generated: .stored("v + 1")), to: "t")
            #expect(try db.value("SELECT s FROM t", as: Int.self) == 16)
        }
    }
}
