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
        let done = try await vault.using { store in store.opening.migration?.schemaChanges ?? [] }
        let again = try await vault.using { store in store.opening.migration?.schemaChanges }
        #expect(again == [])
        return done
    }

    @Test func aFormerNameMayDifferInCaseOnly() async throws {
        try await execute("CREATE TABLE note (id INTEGER PRIMARY KEY, Text TEXT)", "INSERT INTO note VALUES (1, 'a')")
        let note = TableSchema("note", Self.id, Column<String?>("text", previously: "Text"))
        #expect(try await adapt(note) == ["table \"note\": column \"Text\" renamed to \"text\""])
        try await vault.with(\.migrator, nil).using { store in
            let names = try await store.read { db in try db.columns(of: "note").map(\.name) }
            #expect(names == ["id", "text"])
        }
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
        let error = try await expectFailure(.migrationFailed) {
            try await vault.with(\.migrator, .automatic(tables: [declared])).open()
        }
        #expect(error.message.contains("table \(rows)"), "\(error.message)")
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
