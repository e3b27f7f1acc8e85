import Foundation

/// The behaviour of a store's connections.
///
/// ```swift
/// StoreSettings(readers: 8, busyTimeout: .seconds(30))
/// ```
public struct StoreSettings: Sendable, Equatable {
    /// Where to keep the data. With ``Persistence/memory``, every database of the family is created when it is
    /// opened, and discarded when it is closed.
    public var storage: Persistence

    /// Whether a file is opened read-only: nothing in it is changed, and no permanent file is created beside it. It is
    /// neither rotated nor migrated, a missing file is not created, and every write throws `readOnly`. Has no effect in
    /// memory. An incomplete transaction of a killed process is rolled back first, as for every reader.
    public var isReadOnly: Bool

    /// The maximum number of concurrent readers, 1 to 1,024; other values are clamped.
    public var readers: Int {
        didSet { readers = Self.limited(readers) }
    }

    /// The number of processors, at least 2. On Linux it is read from files.
    private static let processors = max(2, ProcessInfo.processInfo.activeProcessorCount)

    private static func limited(_ readers: Int) -> Int { min(max(1, readers), 1_024) }

    /// How long a statement waits for a lock of another process.
    public var busyTimeout: Duration

    /// How long opening waits for another process that is opening the same file.
    public var openTimeout: Duration

    /// When a file that does not have the current key, or has older cipher settings, is rewritten.
    public var rotation: RotationPolicy

    /// When a file with an older schema version is migrated.
    public var migration: MigrationPolicy

    /// Whether a backup of a file is kept when it is migrated.
    public var migrationBackups: MigrationBackupPolicy

    /// The maximum number of writes that share a transaction, 1 to 10,000; other values are clamped. With 1, each write
    /// has a separate transaction.
    public var groupSize: Int {
        didSet { groupSize = Self.limitedGroup(groupSize) }
    }

    private static func limitedGroup(_ size: Int) -> Int { min(max(1, size), 10_000) }

    /// How long after the end of its first write a transaction accepts further writes, and so the most that this adds
    /// to the wait of the first caller, apart from a write that is running then.
    public var groupDuration: Duration

    /// How long an unused reader's connection stays open, at least 10 ms, and up to twice as long; it uses memory and
    /// file descriptors.
    public var readerIdleTime: Duration

    /// The most memory of a connection for decrypted pages, in bytes, 128 KiB to 1 GiB; other values are clamped. The
    /// memory is allocated as pages are read, and each reader and the writer has a cache of its own. A read whose
    /// index does not fit decrypts a page for each row, and a transaction whose changes do not fit writes pages more
    /// than once. The engine's integrity check, in ``Store/verify(checkingStructure:progress:)`` and of a copy, uses up
    /// to 96 MiB for its connection.
    ///
    /// See SQLite's documentation, "PRAGMA cache_size" (sqlite.org/pragma.html).
    public var pageCache: Int {
        didSet { pageCache = Self.limitedCache(pageCache) }
    }

    private static func limitedCache(_ bytes: Int) -> Int { min(max(128 << 10, bytes), 1 << 30) }

    /// Statements that take at least this long are logged as warnings by the configuration's logger; nil for none. The
    /// time of a reading statement includes the work between its rows.
    public var slowStatement: Duration?

    /// Whether delete triggers fire for the rows that `INSERT OR REPLACE` and `ON CONFLICT REPLACE` delete. By default
    /// the engine fires none for those, so that data maintained by such a trigger (an index, a log) keeps entries for
    /// deleted rows. If enabled, triggers may also fire recursively: one that updates the row that fired it needs a
    /// WHEN clause that ends the recursion.
    ///
    /// See SQLite's documentation, "PRAGMA recursive_triggers" (sqlite.org/pragma.html).
    public var recursiveTriggers: Bool

    /// How observers are notified of commits of other processes.
    public var foreignChanges: ForeignChanges

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - storage: Where to keep the data.
    ///   - isReadOnly: Whether a file is opened read-only.
    ///   - readers: The maximum number of concurrent readers, 1 to 1,024; nil for the number of processors, at least 2.
    ///   - busyTimeout: How long a statement waits for a lock of another process.
    ///   - openTimeout: How long opening waits for another process that is opening the same file.
    ///   - rotation: When a file that does not have the current key is rewritten.
    ///   - migration: When a file with an older schema version is migrated.
    ///   - migrationBackups: Whether a backup of a file is kept when it is migrated.
    ///   - groupSize: The maximum number of writes that share a transaction, 1 to 10,000.
    ///   - groupDuration: How long after the end of its first write a transaction accepts further writes.
    ///   - readerIdleTime: How long an unused reader's connection stays open, at least 10 ms.
    ///   - pageCache: The most memory of a connection for decrypted pages, in bytes, 128 KiB to 1 GiB.
    ///   - slowStatement: The duration from which the logger warns about a statement; nil for none.
    ///   - recursiveTriggers: Whether delete triggers fire for replaced rows, and triggers may fire recursively.
    ///   - foreignChanges: How observers are notified of commits of other processes.
    public init(
        storage: Persistence = .disk,
        isReadOnly: Bool = false,
        readers: Int? = nil,
        busyTimeout: Duration = .seconds(5),
        openTimeout: Duration = .seconds(30),
        rotation: RotationPolicy = .onOpen,
        migration: MigrationPolicy = .onOpen,
        migrationBackups: MigrationBackupPolicy = .none,
        groupSize: Int = 1_000,
        groupDuration: Duration = .milliseconds(20),
        readerIdleTime: Duration = .seconds(60),
        pageCache: Int = 16 << 20,
        slowStatement: Duration? = nil,
        recursiveTriggers: Bool = false,
        foreignChanges: ForeignChanges = .automatic
    ) {
        self.storage = storage
        self.isReadOnly = isReadOnly
        self.slowStatement = slowStatement
        self.recursiveTriggers = recursiveTriggers
        self.foreignChanges = foreignChanges
        self.rotation = rotation
        self.migration = migration
        self.migrationBackups = migrationBackups
        self.groupSize = Self.limitedGroup(groupSize)
        self.groupDuration = groupDuration
        self.readerIdleTime = readerIdleTime
        self.pageCache = Self.limitedCache(pageCache)
        self.readers = Self.limited(readers ?? Self.processors)
        self.busyTimeout = busyTimeout
        self.openTimeout = openTimeout
    }
}

/// How the observers of a store are notified of commits that other processes make to its file.
///
/// A commit counts for every observed table, since the tables that it has written are not known; so does a restart of
/// the WAL. ``ObservedValues`` does not deliver a value that has not changed.
///
/// ```swift
/// StoreSettings(foreignChanges: .polled(every: .milliseconds(20)))
/// ```
public enum ForeignChanges: Sendable, Equatable {
    /// By the system's watch for files, which costs nothing while nothing is written. Where the system has none, or
    /// reports only changes of its own kernel, as for network file systems and FUSE, by polling every 50 ms while the
    /// store is observed; ``StoreStatistics/isPolling`` reports it, and the logger gets it once at `notice`.
    case automatic
    /// By polling while the store is observed; at least 1 ms.
    case polled(every: Duration)
    /// Not at all: observers are notified of the store's own commits only.
    case ignored
}

/// Whether a backup of a file is kept when it is migrated.
public enum MigrationBackupPolicy: Sendable, Hashable {
    /// No backup.
    case none
    /// Before the first step of a migration, a backup is created next to the file, encrypted with the same key. That
    /// many of the newest are kept, at least one. ``Stores/restoreMigrationBackup(of:_:)`` restores one.
    case newest(Int)
}

/// When a file with an older schema version is migrated.
public enum MigrationPolicy: Sendable, Hashable {
    /// When it is opened.
    case onOpen
    /// Only by `Store.migrate()`; until then the store is open at the version of the file. A new file is created at the
    /// newest version nevertheless, and a file of a newer program is refused.
    case manual
}

/// When a file that does not have the current key, or has older cipher settings, is rewritten.
public enum RotationPolicy: Sendable, Hashable {
    /// When it is opened, and by `Store.rotate()`. A rotation that is not possible at the moment, because another
    /// process holds the file, the disk is full or a page is damaged, is left for the next opening; the opening's
    /// report names it.
    case onOpen
    /// As ``onOpen``, and a file whose data key is at least so many days old, 1 or more, gets a new one when it is
    /// opened, which rewrites the file; also one whose data key has an unknown age (``Store/dataKeyDate()``), unless
    /// its date is in the future. The keys of all slots are needed for that: if the chain does not have them,
    /// ``OpenReport/rotationFailure`` names the slots at each opening. A file without an envelope has no data key.
    case after(days: Int)
    /// Only by `Store.rotate()`.
    case manual
    /// Never: `Store.rotate()` throws.
    case never

    /// Whether openings rotate.
    package var isOnOpen: Bool {
        switch self {
        case .onOpen, .after: true
        case .manual, .never: false
        }
    }
}
