import Strongroom
import StrongroomTesting
import Testing

struct ChangeSchemaTests {
    @Test func aColumnIsAddedAtTheEnd() async throws {
        try await TemporaryStore(tables: [Cell<Int64>.schema]).store.write { db in
            try Cell.insert(Cell(Int64(1)), in: db)
            try db.addColumn(Column<String?>("note"), to: "cell")
            try db.addColumn(Column<Int>("level", default: 3), to: "cell")
            try db.forEachRow("SELECT * FROM cell") { row in
                let note: String? = try row["note"]
                let level: Int = try row["level"]
                #expect(row.name(at: 2) == "note")
                #expect(row.name(at: 3) == "level")
                #expect(note == nil)
                #expect(level == 3)
            }
        }
    }

    @Test func aColumnThatCannotBeAddedIsRefused() async throws {
        try await TemporaryStore(tables: [Cell<Int64>.schema]).store.write { db in
            try Cell.insert(Cell(Int64(1)), in: db)
            let refused: [(any SchemaColumn, StrongroomError.Code)] = [
                (Column<String>("note"), .schemaChange), (Column<Int64?>("other", primaryKey: true), .schemaChange),
                (Column<Int64>("content", default: 1), .sql),
                (Column<Int>("", default: 1), .invalidName), (Column<Int?>("a\0"), .invalidName),
            ]
            for (column, code) in refused {
                try expectFailure(code) { try db.addColumn(column, to: "cell") }
            }
            try expectFailure(.sql) { try db.addColumn(Column<Int?>("a"), to: "nowhere") }
            try db.forEachRow("SELECT * FROM cell") { row in #expect(row.count == 2) }
        }
    }

    @Test func aTableIsDroppedWithItsIndexes() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(), in: db)
            try db.dropTable("contact")
            #expect(try db.tableNames() == [])
            #expect(
                try db.value("SELECT count(*) FROM sqlite_master WHERE tbl_name = 'contact'", as: Int.self) == 0)
            try expectFailure(.sql) { try db.dropTable("contact") }
            try db.createTable(Contact.schema)
            #expect(try Contact.count(in: db) == 0)
        }
    }

    @Test func indexesComeAndGo() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(contentsOf: [Contact(email: "1"), Contact(email: "2")], in: db)
            let index = TableIndex("by_name", on: Contact.columns.name, unique: true)
            let error = try expectFailure(.constraint) { try db.createIndex(index, on: "contact") }
            #expect(!"\(error)".contains("Ada"))
            try Contact.delete(2, in: db)
            try db.createIndex(index, on: "contact")
            try expectFailure(.sql) { try db.createIndex(index, on: "contact") }
            try expectFailure(.constraint) { try Contact.insert(Contact(email: "3"), in: db) }
            try db.dropIndex("by_name")
            try expectFailure(.sql) { try db.dropIndex("by_name") }
            try Contact.insert(Contact(email: "3"), in: db)
        }
    }

    @Test func changesOfTheSchemaAreUndoneWithTheirTransaction() async throws {
        struct Stop: Error {}
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(Contact(), in: db) }
        await #expect(throws: Stop.self) {
            try await store.write { db in
                try db.createTable(Cell<Int64>.schema)
                try db.addColumn(Column<Int?>("age"), to: "contact")
                try db.dropIndex("contact_name")
                try db.dropTable("contact")
                throw Stop()
            }
        }
        try await store.read { db in
            let names = try db.tableNames()
            #expect(names == ["contact"])
            try db.forEachRow("SELECT * FROM contact") { row in #expect(row.count == 6) }
            #expect(try db.value("SELECT name FROM sqlite_master WHERE name = 'contact_name'", as: String.self) != nil)
        }
    }

    @Test func theLibrarysAndTheEnginesTablesAreNotListed() async throws {
        try await TemporaryStore(tables: [Counter.schema]).store.write { db in
            try Counter.insert(Counter(), in: db)
            for name in ["sqlitex", "strongroomx", "Zebra", "ant", "émile"] {
                try db.execute("CREATE TABLE \(name: name) (a)")
            }
            try db.execute("CREATE VIEW sight AS SELECT 1")
            #expect(try db.tableNames() == ["Zebra", "ant", "counter", "sqlitex", "strongroomx", "émile"])
        }
    }
}
