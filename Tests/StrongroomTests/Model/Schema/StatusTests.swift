import Strongroom
import StrongroomTesting
import Testing

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
            #expect(columns.map(\.keyPlace) == [1, 2, nil, nil])
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
