// Which tables a statement writes cannot be seen from outside before it runs.
@testable import Strongroom
import StrongroomTesting
import Testing

/// `INSERT OR REPLACE` deletes rows: whoever observes what hangs on them is told.
struct ReplacedRowsTests {
    private static let schema = [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
        "CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent (id) ON DELETE CASCADE)",
        "CREATE TABLE grandchild (child REFERENCES child (id) ON DELETE CASCADE)",
        "CREATE TABLE guest (parent REFERENCES parent (id) ON DELETE SET NULL)",
        "CREATE TABLE rule (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE)",
        "CREATE TABLE ruled (rule REFERENCES rule (id) ON DELETE CASCADE)",
        "CREATE TABLE log (what TEXT)",
        "CREATE TRIGGER gone AFTER DELETE ON child BEGIN INSERT INTO log VALUES ('child'); END",
        "CREATE TRIGGER parentgone AFTER DELETE ON parent BEGIN INSERT INTO log VALUES ('parent'); END",
    ]

    private static func makeConnection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create, database: "memory")
        try connection.run("PRAGMA foreign_keys = ON")
        for statement in schema { try connection.run(statement) }
        try connection.run("INSERT INTO parent VALUES (1, 'a'), (2, 'b')")
        try connection.run("INSERT INTO child VALUES (10, 1)")
        try connection.run("INSERT INTO grandchild VALUES (10)")
        try connection.run("INSERT INTO guest VALUES (1)")
        try connection.run("INSERT INTO rule VALUES (1, 'a'), (2, 'b')")
        try connection.run("INSERT INTO ruled VALUES (1)")
        return connection
    }

    private static let tables = ["parent", "child", "grandchild", "guest", "rule", "ruled", "log"]

    private static func content(_ connection: Connection) throws -> [String: [[SQLValue]]] {
        var content: [String: [[SQLValue]]] = [:]
        for table in tables { content[table] = try connection.ownRows("SELECT * FROM \(table) ORDER BY rowid") }
        return content
    }

    @Test(arguments: [
        "INSERT OR REPLACE INTO parent VALUES (1, 'c')",
        "REPLACE INTO parent VALUES (3, 'a')",
        "INSERT OR REPLACE INTO parent (name) SELECT 'a'",
        "UPDATE OR REPLACE parent SET name = 'a' WHERE id = 2",
        "UPDATE OR REPLACE parent SET id = 1 WHERE id = 2",
        "INSERT INTO rule VALUES (3, 'a')",
        "UPDATE rule SET name = 'a' WHERE id = 2",
        "INSERT OR REPLACE INTO child VALUES (10, 2)",
    ])
    func everyTableThatChangesIsNoted(sql: String) throws {
        for isRecursive in [false, true] {
            let connection = try Self.makeConnection()
            if isRecursive { try connection.run("PRAGMA recursive_triggers = ON") }
            let before = try Self.content(connection)
            let statement = try connection.statement(sql)
            defer { statement.finish() }
            try statement.run()
            let after = try Self.content(connection)
            for table in Self.tables where before[table] != after[table] {
                #expect(statement.tables.writes.contains(table), "\(sql): \(table), recursive: \(isRecursive)")
            }
            #expect(before != after)
        }
    }

    private static let migrator = Migrator {
        Migration("1") { db in
            try db.execute("CREATE TABLE word (id INTEGER PRIMARY KEY, word TEXT UNIQUE)")
            try db.execute("CREATE TABLE entry (word TEXT)")
            try db.execute("CREATE TRIGGER added AFTER INSERT ON word BEGIN INSERT INTO entry VALUES (new.word); END")
            try db.execute(
                "CREATE TRIGGER removed AFTER DELETE ON word BEGIN DELETE FROM entry WHERE word = old.word; END")
            try db.execute("INSERT INTO word VALUES (1, 'a')")
            try db.execute("INSERT OR REPLACE INTO word VALUES (1, 'b')")
        }
    }

    @Test(arguments: [false, true], [false, true])
    func aSettingFiresDeleteTriggersForReplacedRows(isRecursive: Bool, isOnDisk: Bool) async throws {
        let settings = StoreSettings(storage: isOnDisk ? .disk : .memory, recursiveTriggers: isRecursive)
        let vault = Vault(keys: .numbered(1)).with(\.migrator, Self.migrator).with(\.settings, settings)
        for round in 0..<(isOnDisk ? 2 : 1) {
            let store = try await vault.open()
            let words = try await store.write { db in
                try db.execute("INSERT OR REPLACE INTO word VALUES (1, \("c\(round)"))")
                return try db.values("SELECT word FROM entry ORDER BY word", as: String.self)
            }
            #expect(words == (isRecursive ? ["c\(round)"] : ["a", "b", "c0", "c1"].prefix(3 + round).map { $0 }))
            try await store.close()
        }
    }
}
