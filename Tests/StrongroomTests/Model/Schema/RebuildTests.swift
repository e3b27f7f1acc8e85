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
            sight(size: "size"),
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

    private static func sight(size: String) -> SQL {
        """
        CREATE VIEW sight AS SELECT p.id, p.\(name: size), count(*) AS number FROM \(name: parent) AS p
        JOIN child ON p = p.id GROUP BY 1
        """
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
            let isByEngine = try EngineFeatures.current().hasRenameColumn
            if !isByEngine {
                let error = try expectFailure(.schemaChange) { try db.renameColumn("SIZE", to: name, in: Self.parent) }
                #expect(error.message.contains("view \"sight\""))
                try db.execute("DROP VIEW sight")
            }
            try db.renameColumn("SIZE", to: name, in: Self.parent)
            if !isByEngine { try db.execute(Self.sight(size: name)) }
            let after = try Self.content(db, ["id", "group", "from here", name, "boss", "gone", "🗝"])
            #expect(after == before)
            try Self.expectConstraints(db, size: name)
            if !isByEngine { try db.execute("DROP VIEW sight") }
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
            let isByEngine = try EngineFeatures.current().hasRenameColumn
            if !isByEngine {
                try expectFailure(.schemaChange) { try db.renameTable(Self.parent, to: "new \"name\"") }
                try db.execute("DROP VIEW sight")
                try db.execute("DROP TRIGGER more")
            }
            try db.renameTable(Self.parent, to: "new \"name\"")
            #expect(try !db.hasTable(Self.parent))
            if isByEngine { #expect(try db.value("SELECT count(*) FROM sight", as: Int.self) == 999) }
            try db.execute("UPDATE \(name: "new \"name\"") SET size = 9 WHERE id = 30")
            #expect(try db.value("SELECT word FROM log", as: String.self) == "row 10 10.0")
            #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == (isByEngine ? 998 : 999))
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

/// Changes of the schema in the middle of other work, and those that fail half way.
struct RebuildRefusalTests {
    @Test func aChangeWhileRowsAreReadLosesNothing() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)")
            try db.execute("CREATE TABLE child (t REFERENCES t ON DELETE CASCADE)")
            try db.execute("INSERT INTO t VALUES (1, 2, 3), (4, 5, 6)")
            try db.execute("INSERT INTO child VALUES (1), (4)")
            #expect(throws: StrongroomError.self) {
                try db.forEachRow("SELECT a FROM t") { _ in try db.dropColumn("b", from: "t") }
            }
            #expect(try db.value("PRAGMA foreign_keys", as: Int.self) == 1)
            #expect(try db.value("SELECT sum(b) FROM t", as: Int.self) == 7)
            #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == 2)
            try db.dropColumn("b", from: "t")
            #expect(try db.value("SELECT count(*) FROM child", as: Int.self) == 2)
        }
    }

    @Test func aTemporaryTriggerAndADescendingKeyOutliveAChange() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY DESC, b, c)")
            try db.execute("CREATE TEMP TRIGGER quick AFTER INSERT ON t BEGIN UPDATE t SET c = 7 WHERE a = new.a; END")
            try db.execute("INSERT INTO t (rowid, a, b) VALUES (50, 1, 2)")
            try db.dropColumn("b", from: "t")
            #expect(try db.value("SELECT rowid FROM t", as: Int.self) == 50)
            try db.execute("INSERT INTO t (a) VALUES (2)")
            #expect(try db.value("SELECT sum(c) FROM t", as: Int.self) == 14)
        }
    }

    @Test func rowsThatBreakAConstraintUndoTheChange() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a UNIQUE, b)")
            try db.execute("CREATE TABLE child (t REFERENCES t (a))")
            try db.execute("INSERT INTO t VALUES (1, NULL), (2, 5)")
            try expectFailure(.constraint) { try db.changeColumn(Column<Int>("b"), in: "t") }
            try expectFailure(.constraint) { try db.addColumn(Column<Int>("c", unique: true, default: 1), to: "t") }
            #expect(try db.columns(of: "t").map(\.name) == ["a", "b"])
            #expect(try db.tableNames() == ["child", "t"])
            try db.changeColumn(Column<Int?>("b"), in: "t")
            #expect(try db.value("SELECT sum(b) FROM t", as: Int.self) == 5)
            try expectFailure(.sql) { try db.renameColumn("a", to: "B", in: "t") }
            try expectFailure(.invalidName) { try db.renameColumn("a", to: "", in: "t") }
            #expect(try db.value("PRAGMA foreign_keys", as: Int.self) == 1)
        }
    }

    @Test func aColumnWhoseTableIsUncertainIsRenamedOrLeft() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE t (a, b)")
            try db.execute("CREATE TABLE u (a, t)")
            try db.execute("INSERT INTO t VALUES (1, 2)")
            try db.execute("CREATE VIEW sight AS SELECT t.b, (SELECT max(a) FROM u) AS m FROM t")
            if try EngineFeatures.current().hasRenameColumn {
                try db.renameColumn("a", to: "z", in: "t")
                #expect(try db.value("SELECT z FROM t", as: Int.self) == 1)
            } else {
                let error = try expectFailure(.schemaChange) { try db.renameColumn("a", to: "z", in: "t") }
                #expect(error.message.contains("view \"sight\""))
                #expect(try db.value("SELECT a FROM t", as: Int.self) == 1)
            }
            #expect(try db.value("SELECT b FROM sight", as: Int.self) == 2)
        }
    }

    /// Each is left as it is, or the renaming is refused.
    @Test(arguments: [
        "TRIGGER own AFTER INSERT ON a BEGIN "
            + "UPDATE contact SET kind = (SELECT phone FROM (SELECT new.x AS phone)); END",
        "VIEW own AS SELECT id, kind AS phone FROM contact ORDER BY phone LIMIT 1",
        "VIEW own AS SELECT coalesce(phone, '-') phone FROM contact",
        "VIEW own AS SELECT s.phone FROM (SELECT kind phone FROM contact) AS s",
        "VIEW own AS WITH x (phone) AS (SELECT kind FROM contact) SELECT x.phone FROM x",
    ])
    func aNameThatIsNotTheRenamedColumnKeepsItsMeaning(object: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, phone TEXT, kind TEXT)")
            try db.execute("CREATE TABLE a (x TEXT)")
            try db.execute("INSERT INTO contact VALUES (1, '1', 'z'), (2, '2', 'y')")
            try db.execute(SQL(stringLiteral: "CREATE \(object)"))
            let isView = object.hasPrefix("VIEW")
            let before = isView ? try db.value("SELECT phone FROM own", as: String.self) : nil
            if try EngineFeatures.current().hasRenameColumn {
                try db.renameColumn("phone", to: "telephone", in: "contact")
            } else {
                try expectFailure(.schemaChange, saying: "\"own\"") {
                    try db.renameColumn("phone", to: "telephone", in: "contact")
                }
                #expect(try db.value("SELECT phone FROM contact", as: String.self) == "1")
            }
            if isView {
                #expect(try db.value("SELECT phone FROM own", as: String.self) == before)
            } else {
                try db.execute("INSERT INTO a VALUES ('new')")
                #expect(try db.value("SELECT kind FROM contact", as: String.self) == "new")
            }
        }
    }

    @Test(arguments: [
        "TRIGGER own AFTER UPDATE OF phone ON contact BEGIN INSERT INTO a (phone) VALUES (old.phone); END",
        "VIEW own AS SELECT contact.phone AS phone, count(a.phone) FROM contact JOIN a",
        "VIEW own (phone) AS SELECT phone FROM contact WHERE phone IS NOT NULL",
    ])
    func aNameThatIsTheColumnFollows(object: String) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, phone TEXT)")
            try db.execute("CREATE TABLE a (phone TEXT)")
            try db.execute("INSERT INTO contact VALUES (1, '1')")
            try db.execute("INSERT INTO a VALUES ('0')")
            try db.execute(SQL(stringLiteral: "CREATE \(object)"))
            let isView = object.hasPrefix("VIEW")
            if try !EngineFeatures.current().hasRenameColumn, isView {
                try expectFailure(.schemaChange) { try db.renameColumn("phone", to: "telephone", in: "contact") }
            } else {
                try db.renameColumn("phone", to: "telephone", in: "contact")
                try db.execute("UPDATE contact SET telephone = '2'")
            }
            if isView { #expect(try db.value("SELECT count(phone) FROM own", as: Int.self) == 1) }
            #expect(try db.value("SELECT max(phone) FROM a", as: String.self) == (isView ? "0" : "1"))
        }
    }
}

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
