#if Macros
import Strongroom
import StrongroomTesting
import Testing

/// Names that mean something to the library's own tables in memory, or to the engine.
@Suite("Names of tables with records in memory", .ending)
struct RecordsInMemoryNamesTests {
    @Table("log")
    struct Log: Equatable {
        var id: Int64?
        var text: String
    }

    @Table("line")
    struct Line: Equatable {
        @Column(primaryKey: true) var name: String
        var rowid: Int
        var _rowid_: Int?
        var text: String
    }

    /// Has taken all names of the row id.
    @Table("cell")
    struct Full: Equatable {
        @Column(primaryKey: true) var name: String
        var rowid: Int
        var _rowid_: Int
        @Column("OID") var oid: Int
    }

    @Test("a table may be called log")
    func list() async throws {
        let store = try await TemporaryStore(tables: [Log.schema]).store
        try await store.write { db throws in
            try Log.insert(Log(text: "disk"), in: db)
            try Log.insert(Log(text: "memory"), persistence: .memory, in: db)
        }
        try await store.write { db throws in
            try Log.where { $0.text == "memory" }.update(in: db) { [$0.text.set("changed")] }
        }
        try await store.read { db throws in
            #expect(try Log.order { $0.text.ascending }.fetch(in: db).map(\.text) == ["changed", "disk"])
        }
    }

    @Test("a column may be called as the row id")
    func rowID() async throws {
        let store = try await TemporaryStore(tables: [Line.schema]).store
        try await store.write { db throws in
            for name in ["a", "b", "c"] {
                try Line.insert(Line(name: name, rowid: 1, text: "old"), persistence: .memory, in: db)
            }
        }
        try await store.read { db throws in #expect(try Line.all(in: db).map(\.name) == ["a", "b", "c"]) }
        try await store.write { db throws in
            #expect(try Line.update("b", in: db) { [$0.text.set("new"), $0.rowid.set(2)] })
            #expect(try Line.delete("c", in: db))
        }
        try await store.read { db throws in
            let lines = try Line.all(in: db)
            #expect(lines.map(\.name) == ["a", "b"] && lines.map(\.text) == ["old", "new"])
            #expect(lines.map(\.rowid) == [1, 2])
        }
    }

    @Test("a table whose columns use all names of the row id has no records in memory")
    func noRowID() async throws {
        let store = try await TemporaryStore(tables: [Full.schema]).store
        try await store.write { db throws in
            try expectFailure(.invalidDeclaration) {
                try Full.insert(Full(name: "a", rowid: 1, _rowid_: 1, oid: 1), persistence: .memory, in: db)
            }
            try Full.insert(Full(name: "a", rowid: 1, _rowid_: 1, oid: 1), in: db)
        }
    }
}
#endif
