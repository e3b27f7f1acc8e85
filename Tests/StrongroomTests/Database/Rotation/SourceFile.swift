import Foundation
// Internal: a connection past the store makes what a store does not let through, such as `PRAGMA user_version`.
@testable import Strongroom

/// A database that has some of everything that a copy may lose.
struct SourceFile {
    let vault: Vault

    /// A text that stands in the rows, so that it can be looked for in files.
    static let marker = "Marker-7c1f"

    /// The objects and rows. The row ids have gaps, since those of a table without a key are easily numbered anew.
    static let statements = [
        "PRAGMA auto_vacuum = INCREMENTAL",
        "CREATE TABLE line (text TEXT NOT NULL)",
        "CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT, rowid TEXT)",
        "CREATE TABLE \"od`d\"\" name\" (a, b DEFAULT 'x, y', PRIMARY KEY (a)) WITHOUT ROWID",
        "CREATE UNIQUE INDEX line_text ON line (text COLLATE NOCASE)",
        "CREATE INDEX numbered_some ON numbered (rowid) WHERE rowid > 'c'",
        "CREATE TABLE loose (text)",
        "CREATE VIEW long_line AS SELECT * FROM line WHERE length(text) > 100",
        "CREATE TRIGGER line_insert AFTER INSERT ON line BEGIN INSERT INTO numbered (rowid) VALUES (new.text); END",
        "CREATE VIRTUAL TABLE search USING fts4(content)",
        "INSERT INTO line (rowid, text) VALUES (5, 'five \(marker)'), (7, 'seven'), (1000000007, 'many')",
        "INSERT INTO numbered (id, rowid) VALUES (70, 'seventy')",
        "DELETE FROM numbered WHERE id = 70",
        "INSERT INTO line (rowid, text) SELECT rowid + 10000, text || 'x' || hex(randomblob(900)) FROM line",
        "INSERT INTO loose (rowid, text) VALUES (9, 'nine'), (90, 'ninety')",
        "INSERT INTO \"od`d\"\" name\" VALUES (1, x'00ff'), ('one', 2.5), (x'', NULL)",
        "INSERT INTO search VALUES ('the quick \(marker)'), ('the brown fox')",
        "ANALYZE",
        "PRAGMA user_version = 41",
        "PRAGMA application_id = 4711",
    ]

    /// Makes the file.
    ///
    /// - Parameter key: Its key; nil for plaintext.
    init(
        _ vault: Vault, key: Key?, _ settings: CipherSettings? = nil, encoding: String = "UTF-8",
        statements: [String] = SourceFile.statements
    ) throws {
        self.vault = vault
        let own = try CipherSettings.engineDefault()
        let derived = try key.map { try DerivedKey($0, salt: CipherSettings.randomSalt(), settings: settings ?? own) }
        try Data().write(to: URL(filePath: vault.path))
        let file = DatabaseFile(path: vault.path, name: "source", busyTimeout: 0, log: nil)
        let connection = try file.connect(.existing, key: derived)
        defer { connection.close() }
        try connection.run("PRAGMA encoding = '\(encoding)'")
        for statement in statements { try connection.run(statement) }
    }

    /// Changes what the schema says of an object, past the engine.
    static func rewriteSchema(_ vault: Vault, _ change: String, of object: String) async throws {
        try await vault.using { store in
            try await store.pool.perform(.ungroupedWrite) { connection in
                connection.setDefensive(false)
                try connection.run("PRAGMA writable_schema = ON")
                try connection.run("UPDATE sqlite_master SET \(change) WHERE name = '\(object)'")
                try connection.run("PRAGMA schema_version = 1000")
            }
        }
    }

    /// Everything that is in the file of a store: its schema, each row with its row id, and its header.
    static func content(_ store: Store) async throws -> [String] {
        try await store.pool.perform(.read) { connection in
            try connection.inSnapshot {
                var content: [String] = []
                func add(_ sql: String) throws {
                    for row in try connection.ownRows(sql) { content.append("\(sql): \(row)") }
                }
                try add("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
                try add("SELECT rowid, * FROM line")
                try add("SELECT * FROM numbered")
                try add("SELECT rowid, * FROM loose")
                try add("SELECT * FROM \"od`d\"\" name\"")
                try add("SELECT rowid, content FROM search WHERE search MATCH 'the'")
                try add("SELECT * FROM sqlite_sequence")
                try add("SELECT * FROM sqlite_stat1 ORDER BY tbl, idx")
                for setting in ["user_version", "application_id", "auto_vacuum", "encoding"] {
                    try add("PRAGMA \(setting)")
                }
                try add("PRAGMA integrity_check")
                return content
            }
        }
    }
}

extension Vault {
    /// Everything that is in the file.
    func content() async throws -> [String] {
        try await using { try await SourceFile.content($0) }
    }
}
