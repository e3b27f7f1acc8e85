import CSQLCipher
import Foundation

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
    var hasExtendedTableInfo: Bool { sqliteVersionNumber >= 3_026_000 }
    /// `STRICT` tables (from SQLite 3.37 on).
    public var hasStrictTables: Bool { sqliteVersionNumber >= 3_037_000 }
    /// Window functions (from SQLite 3.25 on).
    public var hasWindowFunctions: Bool { sqliteVersionNumber >= 3_025_000 }

    /// Whether FTS4 may read the lengths of texts in a file without a check: SQLite 3.15.2 does, 3.46.1 does not.
    var readsFullTextUnchecked: Bool { hasFTS4 && sqliteVersionNumber < 3_046_000 }

    /// FTS5's option `secure-delete` (from SQLite 3.42 on).
    var hasSecureFullText: Bool { hasFTS5 && sqliteVersionNumber >= 3_042_000 }

    /// Whether the engine overwrites freed memory, which may contain decrypted rows. The library turns this on, unless
    /// another library in the process has initialized the engine before: then it cannot be changed any more.
    public var wipesFreedMemory: Bool { EngineMemory.isWiped }

    /// SQLCipher's major version: 3 or 4.
    public var cipherMajorVersion: Int {
        Int(cipherVersion.prefix { $0 != "." }) ?? 0
    }

    /// The features of the engine linked into this process.
    ///
    /// - Returns: The features; determined once, then cached.
    /// - Throws: ``StrongroomError`` with `notSQLCipher` if plain SQLite is linked instead of SQLCipher.
    public static func current() throws -> EngineFeatures {
        try detected.get()
    }

    private static let detected = Result { try detect() }

    private static func detect() throws -> EngineFeatures {
        let probe = try Connection(path: ":memory:", mode: .create, database: ":memory:")
        let sqlite = String(cString: sqlite3_libversion())
        guard case .text(let cipher)? = try probe.ownValue("PRAGMA cipher_version"), !cipher.isEmpty else {
            throw notSQLCipher(version: sqlite)
        }
        let features = EngineFeatures(
            sqliteVersion: sqlite,
            sqliteVersionNumber: Int(sqlite3_libversion_number()),
            cipherVersion: cipher,
            hasFTS5: probe.accepts("SELECT fts5_source_id()"),
            hasFTS4: (try? probe.run("CREATE VIRTUAL TABLE probe USING fts4 (text)")) != nil,
            hasJSON: probe.accepts("SELECT json('1')"),
            hasPageStatistics: probe.accepts("SELECT 1 FROM dbstat"),
            maximumParameters: Int(sqlite3_limit(probe.pointer, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
        )
        try features.requireUsable(probe)
        return features
    }

    private static func notSQLCipher(version: String) -> StrongroomError {
        StrongroomError(
            .notSQLCipher,
            """
            The linked library is SQLite \(version) without SQLCipher, so nothing would be encrypted. Install \
            SQLCipher (libsqlcipher-dev; on Apple platforms the package SQLCipher.swift brings it) and link no other \
            libsqlite3 into the program.
            """
        )
    }

    /// Throws if files cannot be encrypted with the engine, before a key is used.
    private func requireUsable(_ probe: Connection) throws {
        guard !Self.isTooOld(cipherVersion) else {
            throw StrongroomError(
                .notSQLCipher,
                """
                The linked engine is SQLCipher \(cipherVersion), and 3.4.1 is the oldest that the library works with. \
                Install a newer one, or link the program to it.
                """)
        }
        #if os(Linux)
        guard Self.isOneLibrary else {
            throw StrongroomError(
                .notSQLCipher,
                """
                Two libraries of SQLite are loaded, and the engine's functions are not all of the same one, so a key \
                could reach the wrong engine. Link the program to SQLCipher alone, without libsqlite3.
                """)
        }
        #endif
        // Key derivation has nothing to do for a database in memory.
        let isKeyed = "probe".utf8CString.withUnsafeBytes {
            sqlite3_key_v2(probe.pointer, "main", $0.baseAddress, Int32($0.count)) == SQLITE_OK
        }
        guard isKeyed, try probe.ownValue("PRAGMA cipher_provider")?.asText?.isEmpty == false else {
            throw StrongroomError(
                .notSQLCipher,
                """
                The linked SQLCipher \(cipherVersion) has no cryptography, so it would store plaintext: from 4.7 on it \
                has to be compiled with SQLITE_EXTRA_INIT=sqlcipher_extra_init and \
                SQLITE_EXTRA_SHUTDOWN=sqlcipher_extra_shutdown. Build it again; the guide "Engines" has the flags.
                """)
        }
    }

    static func isTooOld(_ cipherVersion: String) -> Bool {
        cipherVersion.prefix { !$0.isWhitespace }.split(separator: ".").compactMap { Int($0) }
            .lexicographicallyPrecedes([3, 4, 1])
    }

    #if os(Linux)
    /// Whether the functions that the library calls for encryption and for everything else are of one library. True
    /// if unknown: a statically linked engine has no names that could be looked up.
    private static let isOneLibrary: Bool = {
        // Glibc's header declares the function only for programs in C that ask for it.
        typealias AddressLookup = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32
        guard let program = dlopen(nil, RTLD_NOW) else { return true }
        defer { dlclose(program) }
        guard let symbol = dlsym(program, "dladdr") else { return true }
        let lookUp = unsafeBitCast(symbol, to: AddressLookup.self)
        let functions = ["sqlite3_open_v2", "sqlite3_prepare_v2", "sqlite3_key_v2", "sqlite3_rekey_v2"]
        let libraries = functions.compactMap { dlsym(program, $0) }.compactMap { function in
            // The file's name, its address, the symbol's name and address.
            withUnsafeTemporaryAllocation(of: UInt.self, capacity: 4) { information in
                guard let start = information.baseAddress, lookUp(function, start) != 0 else { return nil as UInt? }
                return information[1]
            }
        }
        return Set(libraries).count <= 1
    }()
    #endif
}

extension EngineFeatures {
    /// A published fault of SQLite that the linked engine has.
    ///
    /// ```swift
    /// for advisory in try EngineFeatures.current().advisories {
    ///     print("\(advisory.identifier): \(advisory.consequence); fixed in \(advisory.fixedIn)")
    /// }
    /// ```
    public struct Advisory: Sendable, Hashable {
        /// The number of the advisory, such as `CVE-2025-6965`, or its name where it has no number.
        public let identifier: String
        /// What can happen, and by what, in one phrase.
        public let consequence: String
        /// The versions with the fix, such as `SQLite 3.50.2, SQLCipher 4.10`.
        public let fixedIn: String

        fileprivate let isPresent: @Sendable (EngineFeatures) -> Bool

        public static func == (one: Advisory, other: Advisory) -> Bool { one.identifier == other.identifier }
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
    }

    /// The published faults of SQLite that the engine has by its version and features, of those that were checked; the
    /// guide <doc:Engines> has their sources.
    public var advisories: [Advisory] { Self.known.filter { $0.isPresent(self) } }

    /// Whether the engine is free of the WAL-reset race, in which two connections to one file can lose committed
    /// transactions. Strongroom's own connections are guarded against it. See SQLite's documentation, "Write-Ahead
    /// Logging", section 11 (sqlite.org/wal.html).
    package var hasWALResetFix: Bool { Self.hasWALResetFix(sqliteVersionNumber: sqliteVersionNumber) }

    static func hasWALResetFix(sqliteVersionNumber number: Int) -> Bool {
        number >= 3_051_003 || (3_050_007..<3_051_000).contains(number) || (3_044_006..<3_045_000).contains(number)
    }

    /// The oldest first. A distribution may have fixed one in an older version, which cannot be seen.
    private static let known = [
        Advisory(
            identifier: "WAL-reset race",
            consequence: "two other programs that write the file at the same time can lose commits",
            fixedIn: "SQLite 3.51.3, 3.50.7 and 3.44.6, SQLCipher 4.14"
        ) { !$0.hasWALResetFix },
        Advisory(
            identifier: "CVE-2025-6965", consequence: "SQL with very many aggregate terms can corrupt memory",
            fixedIn: "SQLite 3.50.2, SQLCipher 4.10"
        ) { $0.sqliteVersionNumber < 3_050_002 },
        Advisory(
            identifier: "CVE-2026-11822", consequence: "a search in a crafted file's FTS5 table can corrupt memory",
            fixedIn: "SQLite 3.53.2, SQLCipher 4.17"
        ) { $0.hasFTS5 && $0.sqliteVersionNumber < 3_053_002 },
        Advisory(
            identifier: "CVE-2026-11824", consequence: "a search in a crafted file's FTS5 table can corrupt memory",
            fixedIn: "SQLite 3.53.2, SQLCipher 4.17"
        ) { $0.hasFTS5 && $0.sqliteVersionNumber < 3_053_002 },
        Advisory(
            identifier: "CVE-2026-119371", consequence: "SQL with a very long chain of subqueries can end the process",
            fixedIn: "SQLite 3.54.0, SQLCipher 4.20"
        ) { $0.sqliteVersionNumber < 3_054_000 },
        Advisory(
            identifier: "CVE-2026-119374",
            consequence: "deleting from a crafted file's FTS5 table with `secure-delete` can corrupt memory",
            fixedIn: "SQLite 3.54.0, SQLCipher 4.20"
        ) { $0.hasFTS5 && $0.sqliteVersionNumber < 3_054_000 },
    ]
}

extension Connection {
    /// The engine's error message for a statement, or nil. Not taken from the statement cache: a statement prepared
    /// before a change of the schema does not show whether it is valid after it.
    func objection(to sql: String) -> String? {
        accepts(sql) ? nil : sqlite3_errmsg(pointer).map { String(cString: $0) } ?? "unknown error"
    }

    fileprivate func accepts(_ sql: String) -> Bool {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        return sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK
    }
}

/// Counts of what a connection has required of the engine.
struct EngineUse {
    /// The number of attempts to acquire a lock that was busy.
    var busyRetries = 0
    /// How long it has paused before these attempts.
    var busyMilliseconds = 0
    /// The number of the user's statements, and how many of them had to be prepared.
    var (statements, statementsPrepared) = (0, 0)
    var pageCacheHits = 0
    /// Pages read and decrypted.
    var pageCacheMisses = 0
}

extension Connection {
    /// Returns and resets the counts; only for the holder of the connection's slot.
    ///
    /// See "Status Parameters for database connections" (sqlite.org/c3ref/c_dbstatus_options.html).
    func resetUse() -> EngineUse {
        defer { use = EngineUse() }
        use.pageCacheHits = status(SQLITE_DBSTATUS_CACHE_HIT, resets: true)
        use.pageCacheMisses = status(SQLITE_DBSTATUS_CACHE_MISS, resets: true)
        // Pages that have not been checked stay unchecked.
        file.checkedMisses = file.checkedMisses == use.pageCacheMisses ? 0 : -1
        return use
    }

    /// The number of pages that have been read and decrypted since the counts were reset.
    var pageCacheMisses: Int { status(SQLITE_DBSTATUS_CACHE_MISS, resets: false) }

    private func status(_ parameter: Int32, resets: Bool) -> Int {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(pointer, parameter, &current, &highest, resets ? 1 : 0)
        return Int(current)
    }
}

/// Guards a connection against the WAL-reset race, which SQLite has from 3.7.0 to 3.51.2 (sqlite.org/wal.html, "The
/// WAL-Reset Bug").
///
/// A checkpoint reads the WAL's header and then compares it with what has been checkpointed already, without a lock
/// that prevents a writer from restarting the WAL in between. It then marks frames as checkpointed that are not, and
/// the commits in them are lost.
///
/// The guard applies to every checkpoint of the connection, whatever starts it, and adds two rules:
/// - A checkpoint holds the write lock from reading the header until it has compared it. So no writer restarts the WAL
///   in between.
/// - A writer holds the checkpoint lock while it restarts the WAL; if another connection holds that lock, the WAL grows
///   instead. So no commit is lost to a checkpoint of a program without a guard either.
///
/// It is enough if one of the two connections in a race is guarded.
final class WALResetGuard: FileLockRule {
    static let isNeeded = !EngineFeatures.hasWALResetFix(sqliteVersionNumber: Int(sqlite3_libversion_number()))

    private var isCheckpointing = false
    /// Whether the engine has requested the write lock during its checkpoint.
    private var wantsToWrite = false
    /// The slots that are locked in addition to those that the engine has requested.
    private var added: Range<Int32>?

    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 {
        switch lock.slots {
        case IndexLock.checkpoint:
            let result = change(lock, with: IndexLock.write, proceed)
            isCheckpointing = lock.isLocking && result == SQLITE_OK
            wantsToWrite = false
            return result
        case IndexLock.write where added == IndexLock.write:
            wantsToWrite = lock.isLocking
            return SQLITE_OK
        case IndexLock.walReaders where !isCheckpointing:
            return change(lock, with: IndexLock.checkpoint, proceed)
        default:
            // It has compared the header and found frames to copy: until it has marked them, no connection can restart
            // the WAL.
            let isCopying = added == IndexLock.write && !wantsToWrite
            if isCopying, lock.isLocking, IndexLock.readers.contains(lock.slots.lowerBound) { release(proceed) }
            return proceed(lock)
        }
    }

    /// Locks slots, and before them others that the engine has not requested; or releases them in reverse order.
    private func change(_ lock: IndexLock, with slots: Range<Int32>, _ proceed: (IndexLock) -> Int32) -> Int32 {
        if lock.isLocking {
            let result = proceed(.exclusive(slots, isLocking: true))
            guard result == SQLITE_OK else { return result }
            added = slots
        }
        let result = proceed(lock)
        if !lock.isLocking || result != SQLITE_OK { release(proceed) }
        return result
    }

    private func release(_ proceed: (IndexLock) -> Int32) {
        guard let slots = added.take() else { return }
        _ = proceed(.exclusive(slots, isLocking: false))
    }
}
