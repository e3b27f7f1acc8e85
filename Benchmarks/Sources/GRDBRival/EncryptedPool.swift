import Foundation
import GRDB
import TestData

/// Opens files as GRDB's guide does, with the key and the settings that the other sides have.
enum EncryptedPool {
    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The engine that answers GRDB in this process.
    static func engine() throws -> EngineIdentity {
        try DatabaseQueue().read { db in
            guard let cipher = try String.fetchOne(db, sql: "PRAGMA cipher_version"), !cipher.isEmpty else {
                throw Refusal(description: "GRDB works on plain SQLite; LD_PRELOAD must name the SQLCipher library")
            }
            return EngineIdentity(
                sqlite: try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "",
                source: try String.fetchOne(db, sql: "SELECT sqlite_source_id()") ?? "",
                cipher: cipher
            )
        }
    }

    /// - Parameters:
    ///   - key: As the pragma takes it.
    ///   - isChecked: Whether to show that the file is encrypted and the settings are those of the other sides. Not while
    ///     the process has the file open: reading it would drop the locks that it has.
    static func open(
        _ path: String, key: String = "'\(TestData.passphrase)'", isChecked: Bool = true
    ) throws -> DatabasePool {
        if isChecked { try checkEncrypted(path) }
        var configuration = Configuration()
        configuration.maximumReaderCount = TestData.readerCount
        // A reader that meets a commit locks the writer out for a moment; Strongroom waits as long.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA key = \(key)")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            // As much as a connection of Strongroom's and C's has.
            try db.execute(sql: "PRAGMA cache_size = -16384")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // A pool lowers it to NORMAL when it opens.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            guard isChecked else { return }
            try check(db, "PRAGMA synchronous", is: "2")
            try check(db, "PRAGMA journal_mode", is: "wal")
            try check(db, "PRAGMA foreign_keys", is: "1")
            try check(db, "PRAGMA secure_delete", is: "1")
        }
        return pool
    }

    private static func check(_ db: Database, _ pragma: String, is expected: String) throws {
        let found = try DatabaseValue.fetchOne(db, sql: pragma).map { "\($0)".replacing("\"", with: "") }
        guard found == expected else {
            throw Refusal(description: "\(pragma) is \(found ?? "nothing"), not \(expected)")
        }
    }

    private static func checkEncrypted(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw Refusal(description: "no file at \(path)") }
        defer { try? file.close() }
        guard let header = try file.read(upToCount: 16), header.count == 16 else {
            throw Refusal(description: "\(path) has no header")
        }
        guard header != Data("SQLite format 3\0".utf8) else { throw Refusal(description: "\(path) is not encrypted") }
    }
}
