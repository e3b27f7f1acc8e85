import Strongroom
import StrongroomTesting
import Testing

/// Changes of the schema in the middle of other work, and those that fail half way.
struct RebuildRefusalTests {
    @Test func aChangeWhileRowsAreReadLosesNothing() async throws {
        let store = try await TemporaryStore().store
        try await store.write { db in
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
        let store = try await TemporaryStore().store
        try await store.write { db in
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
        let store = try await TemporaryStore().store
        try await store.write { db in
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
        let store = try await TemporaryStore().store
        try await store.write { db in
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
}
