import Strongroom
import StrongroomTesting
import Testing

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
            if try !EngineFeatures.current().hasRenameColumn, object.contains("count(a.phone)") {
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
