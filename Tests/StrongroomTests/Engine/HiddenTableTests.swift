import Strongroom
import StrongroomTesting
import Testing

/// A temporary table hides the file's of that name: what is written to it is lost with the connection, and no reader
/// sees it.
@Suite("Temporary tables and views")
struct HiddenTableTests {
    @Test(
        "are refused, whatever their name",
        arguments: [
            "CREATE TEMP TABLE contact (id INTEGER PRIMARY KEY, name)",
            "CREATE TEMP TABLE IF NOT EXISTS CONTACT AS SELECT * FROM contact",
            "CREATE TABLE temp.contact (id)", "CREATE TEMP VIEW contact AS SELECT 1 AS id",
            "CREATE TEMPORARY VIEW names AS SELECT 1 AS id", "CREATE TEMP TABLE names (id)",
            "CREATE TEMP TABLE found AS SELECT name FROM contact", "CREATE VIRTUAL TABLE temp.note USING fts4(body)",
        ])
    func refused(sql: String) async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db throws in
            let error = try expectFailure(.notAuthorized) { try db.execute(SQL(stringLiteral: sql)) }
            #expect(error.message.contains("temporary"))
            try Contact.insert(Contact(), in: db)
        }
        try await store.read { db throws in
            try expectFailure(.notAuthorized) { try db.value(SQL(stringLiteral: sql), as: SQLValue.self) }
            #expect(try Contact.count(in: db) == 1)
        }
    }

    @Test("are refused again by a statement that has run before")
    func repeated() async throws {
        let store = try await TemporaryStore().store
        try await store.write { db throws in
            for _ in 0..<2 {
                try expectFailure(.notAuthorized) { try db.execute("CREATE TEMP TABLE contact (id)") }
                try db.execute("CREATE TABLE IF NOT EXISTS contact (id INTEGER PRIMARY KEY, name)")
                try db.execute("DROP TABLE contact")
            }
        }
    }
}
