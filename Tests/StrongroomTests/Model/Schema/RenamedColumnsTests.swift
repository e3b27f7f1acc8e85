import Strongroom
import StrongroomTesting
import Testing

@Suite("Columns that say what they were called before")
struct RenamedColumnsTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() async throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
        try await vault.with(\.migrator, nil).using { store in
            try await store.write { db in
                try db.execute("CREATE TABLE person (a TEXT, b TEXT, c TEXT)")
                try db.execute("CREATE INDEX by_b ON person (b)")
                try db.execute("INSERT INTO person VALUES ('1', '2', '3')")
            }
        }
    }

    private static func schema(_ columns: (new: String, old: String?)...) -> TableSchema {
        TableSchema("person", columns: columns.map { Column<String?>($0.new, previously: $0.old).definition })
    }

    /// The pairs of names that an automatic migrator renames.
    private func adapt(_ schema: TableSchema) async throws -> [String] {
        try await vault.with(\.migrator, .automatic(tables: [schema])).using { store in
            (store.opening.migration?.schemaChanges ?? []).map {
                $0.replacing("table \"person\": column ", with: "").replacing("\"", with: "")
            }
        }
    }

    /// The names of the columns, and the values of the row.
    private func person() async throws -> (names: [String], values: [String]) {
        try await vault.with(\.migrator, nil).using { store in
            try await store.read { db in
                let names = try db.columns(of: "person").map(\.name)
                return (names, try names.flatMap { try db.texts("SELECT \(name: $0) FROM person") })
            }
        }
    }

    @Test func theyGetTheirNewNamesAndKeepTheirValues() async throws {
        let schema = Self.schema(("x", "A"), ("b", "unknown"), ("y", "c"))
        #expect(try await adapt(schema) == ["a renamed to x", "c renamed to y"])
        let person = try await person()
        #expect(person.names == ["x", "b", "y"] && person.values == ["1", "2", "3"])
        #expect(try await adapt(schema) == [])
    }

    @Test func oneMayTakeTheNameThatAnotherGivesUp() async throws {
        let changes = try await adapt(Self.schema(("b", "a"), ("d", "b"), ("C", "c")))
        #expect(Set(changes) == ["a renamed to b", "b renamed to d", "c renamed to C"])
        let person = try await person()
        #expect(person.names == ["b", "d", "C"] && person.values == ["1", "2", "3"])
        try await vault.with(\.migrator, nil).using { store in
            let indexed = try await store.read { db in
                try db.indexes(of: "person").flatMap(\.parts).map(\.column)
            }
            #expect(indexed == ["d"])
        }
    }

    @Test func aDeclaredColumnWithTheFormerNameOfAnotherIsADifferentOne() async throws {
        #expect(try await adapt(Self.schema(("x", "a"), ("b", nil), ("c", "b"))) == ["a renamed to x"])
        #expect(try await person().names == ["x", "b", "c"])
    }

    @Test func twoColumnsOfOneNameAreRefusedAndNothingChanges() async throws {
        let schema = Self.schema(("x", "a"), ("c", "b"))
        let error = try await expectFailure(.schemaChange) {
            try await vault.with(\.migrator, .automatic(tables: [schema])).open()
        }
        #expect(error.message.contains("\"b\"") && error.message.contains("\"c\""))
        #expect(try await person().names == ["a", "b", "c"])
    }
}
