import CSQLCipher

/// The linked engine's version and features, determined at run time.
///
/// ```swift
/// let features = try EngineFeatures.current()
/// print(features.cipherVersion, features.hasReturning)
/// ```
public struct EngineFeatures: Sendable, Equatable {
    /// SQLite's version, such as `3.46.1`.
    public let sqliteVersion: String
    /// SQLite's version as a number: 3.46.1 is 3 046 001.
    public let sqliteVersionNumber: Int
    /// SQLCipher's version, such as `4.6.1 community`.
    public let cipherVersion: String
    /// Full-text search, version 5.
    public let hasFTS5: Bool
    /// Full-text search, version 4.
    public let hasFTS4: Bool
    /// The JSON functions.
    public let hasJSON: Bool
    /// The table `dbstat`, which reports how many bytes each table takes.
    public let hasPageStatistics: Bool
    /// The maximum number of parameters in one statement.
    public let maximumParameters: Int

    /// Full-text search in either version, which ``FullTextIndex`` needs.
    public var hasFullText: Bool { hasFTS5 || hasFTS4 }
    /// `INSERT … ON CONFLICT … DO UPDATE` (from SQLite 3.24 on).
    public var hasUpsert: Bool { sqliteVersionNumber >= 3_024_000 }
    /// `RETURNING` (from SQLite 3.35 on).
    public var hasReturning: Bool { sqliteVersionNumber >= 3_035_000 }
    /// `ALTER TABLE … RENAME COLUMN` (from SQLite 3.25 on).
    public var hasRenameColumn: Bool { sqliteVersionNumber >= 3_025_000 }
    /// `ALTER TABLE … DROP COLUMN` (from SQLite 3.35 on).
    public var hasDropColumn: Bool { sqliteVersionNumber >= 3_035_000 }
    /// Generated columns (from SQLite 3.31 on).
    public var hasGeneratedColumns: Bool { sqliteVersionNumber >= 3_031_000 }
    /// `PRAGMA table_xinfo`, which also lists generated columns (from SQLite 3.26 on).
    public var hasExtendedTableInfo: Bool { sqliteVersionNumber >= 3_026_000 }
    /// `STRICT` tables (from SQLite 3.37 on).
    public var hasStrictTables: Bool { sqliteVersionNumber >= 3_037_000 }
    /// Window functions (from SQLite 3.25 on).
    public var hasWindowFunctions: Bool { sqliteVersionNumber >= 3_025_000 }

    /// FTS5's option `secure-delete` (from SQLite 3.42 on).
    var hasSecureFullText: Bool { hasFTS5 && sqliteVersionNumber >= 3_042_000 }

    /// Whether the engine overwrites freed memory, which may contain decrypted rows. The library turns this on, unless
    /// another library in the process has initialized the engine before: then it cannot be changed any more.
    public var wipesFreedMemory: Bool { EngineMemory.isWiped }

    /// Whether the engine is free of the WAL-reset race (from SQLite 3.51.3 on, 3.50.7 and 3.44.6; SQLCipher 4.14), in
    /// which two connections to one file can lose committed transactions.
    ///
    /// Strongroom's own connections are guarded against the race. It matters to other programs that write the same file
    /// with the same engine. See SQLite's documentation, "Write-Ahead Logging", section 11 (sqlite.org/wal.html).
    public var hasWALResetFix: Bool { Self.hasWALResetFix(sqliteVersionNumber: sqliteVersionNumber) }

    static func hasWALResetFix(sqliteVersionNumber number: Int) -> Bool {
        number >= 3_051_003 || (3_050_007..<3_051_000).contains(number) || (3_044_006..<3_045_000).contains(number)
    }

    /// SQLCipher's major version: 3 or 4.
    public var cipherMajorVersion: Int {
        Int(cipherVersion.prefix { $0 != "." }) ?? 0
    }

    /// The features of the engine linked into this process.
    ///
    /// - Returns: The features; determined once, then cached.
    /// - Throws: ``StrongroomError`` with `notSQLCipher` if plain SQLite is linked in place of SQLCipher.
    public static func current() throws -> EngineFeatures {
        try detected.get()
    }

    private static let detected = Result { try detect() }

    private static func detect() throws -> EngineFeatures {
        let probe = try Connection(path: ":memory:", mode: .create, database: ":memory:")
        guard case .text(let cipher)? = try probe.ownValue("PRAGMA cipher_version"), !cipher.isEmpty else {
            throw notSQLCipher(version: String(cString: sqlite3_libversion()))
        }
        return EngineFeatures(
            sqliteVersion: String(cString: sqlite3_libversion()),
            sqliteVersionNumber: Int(sqlite3_libversion_number()),
            cipherVersion: cipher,
            hasFTS5: probe.accepts("SELECT fts5_source_id()"),
            hasFTS4: (try? probe.run("CREATE VIRTUAL TABLE probe USING fts4 (text)")) != nil,
            hasJSON: probe.accepts("SELECT json('1')"),
            hasPageStatistics: probe.accepts("SELECT 1 FROM dbstat"),
            maximumParameters: Int(sqlite3_limit(probe.pointer, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
        )
    }

    /// The error for a process in which plain SQLite is linked in place of SQLCipher.
    static func notSQLCipher(version: String) -> StrongroomError {
        StrongroomError(
            .notSQLCipher,
            """
            The linked library is SQLite \(version) without SQLCipher, so nothing would be encrypted. Install \
            SQLCipher (libsqlcipher-dev; on Apple platforms the package SQLCipher.swift brings it) and link no other \
            libsqlite3 into the program.
            """
        )
    }
}

extension Connection {
    /// The engine's error message for a statement, or nil. Not taken from the statement cache: a statement prepared
    /// before a change of the schema does not show whether it is valid after it.
    func objection(to sql: String) -> String? {
        accepts(sql) ? nil : sqlite3_errmsg(pointer).map { String(cString: $0) } ?? "unknown error"
    }

    /// Whether the engine can prepare a statement.
    fileprivate func accepts(_ sql: String) -> Bool {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        return sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK
    }
}
