import Strongroom
import StrongroomTesting
import Testing

@Suite("Columns that say what they were called before")
struct RenamedColumnsTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [])
    }

    private static func schema(_ columns: (new: String, old: String?)...) -> TableSchema {
        TableSchema("person", columns: columns.map { Column<String?>($0.new, previously: $0.old).definition })
    }

    private static func make(_ db: borrowing WriteTransaction) throws {
        try db.execute("CREATE TABLE person (a TEXT, b TEXT, c TEXT)")
        try db.execute("CREATE INDEX by_b ON person (b)")
        try db.execute("INSERT INTO person VALUES ('1', '2', '3')")
    }

    @Test func theyGetTheirNewNamesAndKeepTheirValues() async throws {
        try await temporary.store.write { db in
            try Self.make(db)
            let schema = Self.schema(("x", "A"), ("b", "unknown"), ("y", "c"))
            #expect(try db.renameColumns(of: schema) == ["x", "y"])
            #expect(try db.columns(of: "person").map(\.name) == ["x", "b", "y"])
            #expect(try db.value("SELECT x || b || y FROM person", as: String.self) == "123")
            #expect(try db.renameColumns(of: schema) == [])
        }
    }

    @Test func oneMayTakeTheNameThatAnotherGivesUp() async throws {
        try await temporary.store.write { db in
            try Self.make(db)
            #expect(try db.renameColumns(of: Self.schema(("b", "a"), ("d", "b"), ("C", "c"))) == ["b", "d", "C"])
            #expect(try db.columns(of: "person").map(\.name) == ["b", "d", "C"])
            #expect(try db.value("SELECT b || d || C FROM person", as: String.self) == "123")
            #expect(try db.indexes(of: "person").flatMap(\.parts).map(\.column) == ["d"])
        }
    }

    @Test func aDeclaredColumnWithTheFormerNameOfAnotherIsADifferentOne() async throws {
        try await temporary.store.write { db in
            try Self.make(db)
            #expect(try db.renameColumns(of: Self.schema(("x", "a"), ("b", nil), ("c", "b"))) == ["x"])
            #expect(try db.columns(of: "person").map(\.name) == ["x", "b", "c"])
        }
    }

    @Test func twoColumnsOfOneNameAreRefusedAndNothingChanges() async throws {
        try await temporary.store.write { db in
            try Self.make(db)
            let error = try expectFailure(.schemaChange) {
                try db.renameColumns(of: Self.schema(("x", "a"), ("c", "b")))
            }
            #expect(error.message.contains("\"b\"") && error.message.contains("\"c\""))
            #expect(try db.columns(of: "person").map(\.name) == ["a", "b", "c"])
            let nobody = TableSchema("nobody", Column<Int?>("x", previously: "y"))
            try expectFailure(.sql) { try db.renameColumns(of: nobody) }
        }
    }
}
