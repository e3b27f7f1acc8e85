import Strongroom
import StrongroomTesting
import Testing

/// Changes of a table that the engine cannot make itself, on tables that a user wrote: nothing that was there may be
/// lost.
// CTPersistance, "schema and status": add column, and what goes beyond it: rename, drop and change.
struct RebuildTests {
    /// A table with everything that a rebuild could lose.
    private static let parent = "the \"odd\" `table` 🗝 select"

    private static func makeOddTable(_ db: borrowing some Writing & ~Copyable) throws {
        for sql: SQL in [
            """
            CREATE TABLE \(name: parent) (
                id INTEGER PRIMARY KEY AUTOINCREMENT, -- the key, with a comma
                "group" TEXT NOT NULL COLLATE NOCASE DEFAULT 'it''s, (', [from here] BLOB /* ( */,
                size REAL CONSTRAINT "not small" CHECK (size IS NULL OR size > -1),
                boss INTEGER REFERENCES \(name: parent) (id) ON DELETE CASCADE,
                gone TEXT, 🗝 INTEGER, CONSTRAINT pair UNIQUE ("group", [from here]) ON CONFLICT FAIL
            )
            """,
            "CREATE INDEX plain ON \(name: parent) (`group` COLLATE BINARY DESC)",
            "CREATE UNIQUE INDEX \"partial \"\"index\" ON \(name: parent) (size) WHERE size > 990",
            "CREATE INDEX computed ON \(name: parent) (lower(\"group\"), abs(size))",
            "CREATE TABLE log (word TEXT)",
            "CREATE TABLE child (p INTEGER NOT NULL REFERENCES \(name: parent) ON DELETE CASCADE ON UPDATE CASCADE)",
            """
            CREATE TABLE pairs (g TEXT, f BLOB, FOREIGN KEY (g, f) REFERENCES \(name: parent) ("group", [from here]))
            """,
            """
            CREATE TRIGGER watch AFTER UPDATE OF size ON \(name: parent) WHEN new.size > 5
            BEGIN INSERT INTO log VALUES (new."group" || ' ' || old.size); END
            """,
            """
            CREATE VIEW sight AS SELECT p.id, p.size, count(*) AS number FROM \(name: parent) AS p JOIN child ON p = \
            p.id GROUP BY 1
            """,
        ] { try db.execute(sql) }
        try db.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO \(name: parent) SELECT i * 3, 'row ' || i, CASE WHEN i % 3 THEN randomblob(i % 50) END,
                CASE WHEN i % 7 THEN i END, CASE WHEN i > 1 THEN 3 END, 'gone', NULL FROM n
            """)
        try db.execute("INSERT INTO child SELECT id FROM \(name: parent)")
        try db.execute("INSERT INTO pairs SELECT \"group\", [from here] FROM \(name: parent) ORDER BY id LIMIT 10")
        try db.execute("DELETE FROM child WHERE p = 3000")
        try db.execute("DELETE FROM \(name: parent) WHERE id = 3000")
    }

    /// All that can be asked of the file, apart from the texts of the schema.
    private static func content(
        _ db: borrowing some Reading & ~Copyable, _ columns: [String]
    ) throws -> [String] {
        var content: [String] = []
        let list = columns.map { "quote(\(name: $0))" as SQL }
        let quoted = list.dropFirst().reduce(list[0]) { "\($0) || ',' || \($1)" }
        for query: SQL in [
            "SELECT \(quoted) FROM \(name: parent) ORDER BY id", "SELECT p FROM child ORDER BY p",
            "SELECT quote(g) || quote(f) FROM pairs ORDER BY g", "SELECT id || ' ' || number FROM sight ORDER BY id",
            "SELECT seq FROM sqlite_sequence WHERE name = \(parent)",
            "SELECT type || name || tbl_name FROM sqlite_master ORDER BY 1", "PRAGMA integrity_check",
        ] {
            try db.forEachRow(query) { row in
                let value = try row.value(at: 0)
                content.append("\(value)")
            }
        }
        return content
    }

    @Test func everythingOutlivesTheDropOfAColumn() async throws {
        try await TemporaryStore().store.write { db in
            try Self.makeOddTable(db)
            let columns = ["id", "group", "from here", "size", "boss", "🗝"]
            let before = try Self.content(db, columns)
            try db.dropColumn("gone", from: Self.parent)
            #expect(try Self.content(db, columns) == before)
            #expect(try db.columns(of: Self.parent).map(\.name) == columns)
            try Self.expectConstraints(db, size: "size")
        }
    }

    @Test func everythingOutlivesAnAddedUniqueColumn() async throws {
        try await TemporaryStore().store.write { db in
            try Self.makeOddTable(db)
            let columns = ["id", "group", "from here", "size", "boss", "gone", "🗝"]
            let rows = try Self.content(db, columns).filter { !$0.contains("autoindex") }
            try db.addColumn(Column<String?>("code", unique: true), to: Self.parent)
            #expect(try Self.content(db, columns).filter { !$0.contains("autoindex") } == rows)
            #expect(try db.columns(of: Self.parent).map(\.name) == columns + ["code"])
            try Self.expectConstraints(db, size: "size")
            try db.execute("UPDATE \(name: Self.parent) SET code = 'a' WHERE id = 3")
            try expectFailure(.constraint) { try db.execute("UPDATE \(name: Self.parent) SET code = 'a' WHERE id = 9") }
        }
    }

    @Test func everythingOutlivesAChangedColumn() async throws {
        try await TemporaryStore().store.write { db in
            try Self.makeOddTable(db)
            let columns = ["id", "group", "from here", "size", "boss", "🗝"]
            let before = try Self.content(db, columns)
            try db.execute("UPDATE \(name: Self.parent) SET gone = NULL WHERE id = 6")
            try db.changeColumn(Column<String>("gone", default: "new"), in: Self.parent)
            #expect(try Self.content(db, columns) == before)
            #expect(try db.value("SELECT gone FROM \(name: Self.parent) WHERE id = 6", as: String.self) == "new")
            try expectFailure(.constraint) { try db.execute("UPDATE \(name: Self.parent) SET gone = NULL") }
            let error = try expectFailure(.schemaChange) { try db.changeColumn(Column<Int>("gone"), in: Self.parent) }
            #expect(error.message.contains("999 rows"))
            try expectFailure(.schemaChange) { try db.changeColumn(Column<String>("id"), in: Self.parent) }
            try Self.expectConstraints(db, size: "size")
        }
    }

    @Test(arguments: ["weight", "a \"b\" `c`", "🗝2", "where"])
    func everythingFollowsARenamedColumn(name: String) async throws {
        try await TemporaryStore().store.write { db in
            try Self.makeOddTable(db)
            let before = try Self.content(db, ["id", "group", "from here", "size", "boss", "gone", "🗝"])
            try db.renameColumn("SIZE", to: name, in: Self.parent)
            let after = try Self.content(db, ["id", "group", "from here", name, "boss", "gone", "🗝"])
            #expect(after == before)
            try Self.expectConstraints(db, size: name)
            try db.renameColumn("group", to: "section", in: Self.parent)
            try db.renameColumn("id", to: "number", in: Self.parent)
            #expect(try db.value("PRAGMA integrity_check", as: String.self) == "ok")
            try db.execute("DELETE FROM pairs")
            try db.execute("DELETE FROM \(name: Self.parent) WHERE number = 3")
            #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == 0)
        }
    }

    @Test func everythingFollowsARenamedTable() async throws {
        try await TemporaryStore().store.write { db in
            try Self.makeOddTable(db)
            try db.execute(
                "CREATE TRIGGER more AFTER INSERT ON log BEGIN DELETE FROM \(name: Self.parent) WHERE id = 2997; END")
            try db.renameTable(Self.parent, to: "new \"name\"")
            #expect(try !db.hasTable(Self.parent))
            #expect(try db.value("SELECT count(*) FROM sight", as: Int.self) == 999)
            try db.execute("UPDATE \(name: "new \"name\"") SET size = 9 WHERE id = 30")
            #expect(try db.value("SELECT word FROM log", as: String.self) == "row 10 10.0")
            #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == 998)
            try db.execute("DELETE FROM pairs")
            try db.execute("DELETE FROM \(name: "new \"name\"") WHERE id = 3")
            #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == 0)
            #expect(try db.value("PRAGMA integrity_check", as: String.self) == "ok")
        }
    }

    /// The trigger fires, the check, the unique constraints and the foreign keys hold, cascades run, and keys are not
    /// given twice.
    private static func expectConstraints(_ db: borrowing some Writing & ~Copyable, size: String) throws {
        #expect(try db.value("PRAGMA foreign_keys", as: Int.self) == 1)
        try db.execute("UPDATE \(name: parent) SET \(name: size) = 8 WHERE id = 30")
        #expect(try db.value("SELECT word FROM log", as: String.self) == "row 10 10.0")
        try db.execute("DELETE FROM log")
        let check = try expectFailure(.constraint) { try db.execute("UPDATE \(name: parent) SET \(name: size) = -2") }
        #expect(check.constraint?.kind == .check)
        #expect(check.constraint?.name == "not small")
        let unique = try expectFailure(.constraint) {
            try db.execute("INSERT INTO \(name: parent) (\(name: size)) VALUES (992), (992)")
        }
        #expect(unique.constraint?.columns == [size])
        let orphan = try expectFailure(.constraint) { try db.execute("INSERT INTO child VALUES (1)") }
        #expect(orphan.constraint?.kind == .foreignKey)
        try db.execute("INSERT INTO \(name: parent) (\(name: size)) VALUES (1)")
        #expect(try db.value("SELECT max(id) FROM \(name: parent)", as: Int.self) ?? 0 > 3000)
        try db.savepoint { db in
            try db.execute("DELETE FROM pairs")
            try db.execute("DELETE FROM child WHERE p > 2000")
        }
        #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == 666)
        try db.execute("UPDATE \(name: parent) SET id = 4 WHERE id = 6")
        #expect(try db.value("SELECT count(*) FROM child WHERE p = 4", as: Int.self) == 1)
    }
}
