import Strongroom
import StrongroomTesting
import Testing

/// A temporary table hides the file's of that name: what is written to it is lost with the connection, and no reader
/// sees it.
@Suite("Temporary tables")
struct HiddenTableTests {
    @Test(
        "do not hide a table or a view of the file",
        arguments: [
            "CREATE TEMP TABLE contact (id INTEGER PRIMARY KEY, name)",
            "CREATE TEMP TABLE IF NOT EXISTS CONTACT AS SELECT * FROM contact",
            "CREATE TABLE temp.contact (id)", "CREATE TEMP VIEW contact AS SELECT 1 AS id",
            "CREATE TEMP VIEW names AS SELECT 1 AS id", "CREATE TEMP TABLE names (id)",
            "ALTER TABLE temp.found RENAME TO contact", "ALTER TABLE found RENAME TO 'contact'",
            "alter table found rename /* to */ to \"Contact\"",
        ])
    func hiding(sql: String) async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db throws in
            try db.createView("names", as: "SELECT name FROM contact")
            try db.execute("CREATE TEMP TABLE found (id)")
            let error = try expectFailure(.notAuthorized) { try db.execute(SQL(stringLiteral: sql)) }
            #expect(error.message.lowercased().contains("temporary"))
            try Contact.insert(Contact(), in: db)
        }
        try await store.read { db throws in #expect(try Contact.count(in: db) == 1) }
    }

    @Test("are not hidden behind, either: a table of the file gets no name of theirs")
    func hidden() async throws {
        let store = try await TemporaryStore().store
        try await store.write { db throws in
            try db.execute("CREATE TEMP TABLE contact (id INTEGER PRIMARY KEY, name)")
            try expectFailure(.notAuthorized) { try db.createTable(Contact.schema) }
            try expectFailure(.notAuthorized) { try db.createTable(Contact.schema, ifNotExists: true) }
            try expectFailure(.notAuthorized) { try db.execute("CREATE VIEW Contact AS SELECT 1 AS id") }
            try db.execute("CREATE TABLE person (id)")
            try expectFailure(.notAuthorized) { try db.execute("ALTER TABLE person RENAME TO contact") }
            try expectFailure(.notAuthorized) { try db.renameTable("person", to: "Contact") }
            try db.execute("DROP TABLE temp.contact")
            try db.createTable(Contact.schema)
            try Contact.insert(Contact(), in: db)
        }
        try await store.read { db throws in #expect(try Contact.count(in: db) == 1) }
    }

    @Test("do not hide a table, either, by a statement that has run before")
    func repeated() async throws {
        try await TemporaryStore().store.write { db throws in
            let making: SQL = "CREATE TABLE IF NOT EXISTS contact (id INTEGER PRIMARY KEY, name)"
            let renaming: SQL = "ALTER TABLE person RENAME TO contact"
            try db.execute(making)
            try db.execute(making)
            try db.execute("DROP TABLE contact")
            try db.execute("CREATE TABLE person (id)")
            try db.execute(renaming)
            try db.execute("ALTER TABLE contact RENAME TO person")
            try db.execute("CREATE TEMP TABLE contact (id INTEGER PRIMARY KEY, name)")
            try expectFailure(.notAuthorized) { try db.execute(making) }
            try expectFailure(.notAuthorized) { try db.execute(renaming) }
        }
    }

    @Test("do not hide a table behind a virtual one")
    func virtual() async throws {
        let store = try await TemporaryStore().store
        try await store.write { db throws in
            try db.execute("CREATE TABLE note_content (id)")
            try expectFailure(.notAuthorized) { try db.execute("CREATE VIRTUAL TABLE temp.note USING fts4(body)") }
            try db.execute("CREATE VIRTUAL TABLE temp.found USING fts4(body)")
            try expectFailure(.notAuthorized) { try db.execute("ALTER TABLE temp.found RENAME TO note") }
            // Newer engines refuse the name themselves, before they ask.
            let shadow = try #require(throws: StrongroomError.self) {
                try db.execute("CREATE TABLE found_content (id)")
            }
            #expect(shadow.code == .notAuthorized || shadow.description.contains("reserved for internal use"))
            try expectFailure(.notAuthorized) { try db.execute("CREATE VIRTUAL TABLE main.found USING fts4(body)") }
            try db.execute("CREATE TABLE found_other (id)")
            try db.execute("ALTER TABLE found_other RENAME TO foun")
            try db.execute("INSERT INTO note_content VALUES (1)")
        }
        let count = try await store.read { db throws in try db.value("SELECT count(*) FROM note_content", as: Int.self)
        }
        #expect(count == 1)
    }

    @Test("do not hide the sequence of keys")
    func sequence() async throws {
        try await TemporaryStore().store.write { db throws in
            try db.execute("CREATE TABLE k (id INTEGER PRIMARY KEY AUTOINCREMENT, size TEXT)")
            try db.execute("INSERT INTO k (id) VALUES (100)")
            try db.execute("DELETE FROM k")
            try db.execute("CREATE TEMP TABLE scratch (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            try db.execute("INSERT INTO scratch VALUES (5)")
            try db.changeColumn(Column<Int?>("size"), in: "k")
            try db.execute("INSERT INTO k (size) VALUES (1)")
            #expect(try db.value("SELECT id FROM k", as: Int.self) == 101)
        }
    }

    @Test("of other names are what they are")
    func others() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try db.execute("CREATE TEMP TABLE found AS SELECT name FROM contact")
            try db.execute("CREATE TABLE other (id)")
            try db.execute("ALTER TABLE temp.found RENAME TO met")
            try db.execute("ALTER TABLE other RENAME TO another")
            try db.renameTable("another", to: "found")
            try db.execute("ALTER TABLE found ADD COLUMN contact")
            try db.execute("CREATE TEMP VIEW few AS SELECT * FROM met LIMIT 1")
            #expect(try db.value("SELECT count(*) FROM few", as: Int.self) == 0)
        }
    }
}
