import Foundation

/// How a store's connections behave.
///
/// ```swift
/// StoreSettings(readers: 8, busyTimeout: .seconds(30))
/// ```
public struct StoreSettings: Sendable, Equatable {
    /// Where the data lies. With ``Persistence/inMemory`` every database of the family is made anew when it is opened,
    /// and is gone when it is closed.
    public var storage: Persistence

    /// Whether a file is opened read-only, as it is: nothing in it is changed, and nothing is made beside it
    /// that stays. It is neither rotated nor migrated, one that is not there is not made, and whatever writes throws
    /// `readOnly`. Does not count in memory. Half a transaction of a killed program is undone first, as for every
    /// reader.
    public var isReadOnly: Bool

    /// The most readers at one time, 1 to 1,024; what lies outside counts as the nearest.
    public var readers: Int {
        didSet { readers = Self.limited(readers) }
    }

    private static func limited(_ readers: Int) -> Int { min(max(1, readers), 1_024) }

    /// How long a statement waits for a lock of another process.
    public var busyTimeout: Duration

    /// How long opening waits for another process that is opening the same file.
    public var openTimeout: Duration

    /// When a file that is not on the current key, or has older cipher settings, is rewritten.
    public var rotation: RotationPolicy

    /// When a file that is at an older version is migrated.
    public var migration: MigrationPolicy

    /// Whether a copy of a file is kept from before it is migrated.
    public var snapshots: SnapshotPolicy

    /// The most writes that share a transaction, 1 to 10,000; what lies outside counts as the nearest. With 1 each
    /// write has its own.
    public var groupSize: Int {
        didSet { groupSize = Self.limitedGroup(groupSize) }
    }

    private static func limitedGroup(_ size: Int) -> Int { min(max(1, size), 10_000) }

    /// How long after the first of them is done a transaction takes further writes, and so how much longer its caller
    /// waits at most, besides the one that is running then.
    public var groupDuration: Duration

    /// How long a reader's connection stays open when nobody uses it, at least 10 ms, up to twice as long; it holds
    /// memory and open files.
    public var readerIdleTime: Duration

    /// Statements that take at least this long are warned of by the configuration's logger; nil for none. A reading
    /// statement's time includes what is done between its rows.
    public var slowStatement: Duration?

    /// Whether delete triggers fire for the rows that `INSERT OR REPLACE` and `ON CONFLICT REPLACE` delete. By itself
    /// the engine fires none for those, so what such a trigger keeps up to date (an index, a log) keeps rows that are
    /// gone. Then triggers may also fire themselves again: one that updates the row that fired it needs a WHEN that
    /// comes to an end.
    ///
    /// See SQLite's documentation, "PRAGMA recursive_triggers" (sqlite.org/pragma.html).
    public var recursiveTriggers: Bool

    /// Describes a store's behaviour.
    ///
    /// - Parameters:
    ///   - storage: Where the data lies.
    ///   - isReadOnly: Whether a file is opened read-only, as it is.
    ///   - readers: The most readers at one time, 1 to 1,024; nil for the number of processors, at least 2.
    ///   - busyTimeout: How long a statement waits for a lock of another process.
    ///   - openTimeout: How long opening waits for another process that is opening the same file.
    ///   - rotation: When a file that is not on the current key is rewritten.
    ///   - migration: When a file that is at an older version is migrated.
    ///   - snapshots: Whether a copy of a file is kept from before it is migrated.
    ///   - groupSize: The most writes that share a transaction, 1 to 10,000.
    ///   - groupDuration: How long after the first of them is done a transaction takes further writes.
    ///   - readerIdleTime: How long a reader's connection stays open when nobody uses it, at least 10 ms.
    ///   - slowStatement: How long a statement takes at least that the logger warns of; nil for none.
    ///   - recursiveTriggers: Whether delete triggers fire for rows that are replaced, and triggers may fire themselves
    ///     again.
    public init(
        storage: Persistence = .disk,
        isReadOnly: Bool = false,
        readers: Int? = nil,
        busyTimeout: Duration = .seconds(5),
        openTimeout: Duration = .seconds(30),
        rotation: RotationPolicy = .onOpen,
        migration: MigrationPolicy = .onOpen,
        snapshots: SnapshotPolicy = .none,
        groupSize: Int = 1_000,
        groupDuration: Duration = .milliseconds(20),
        readerIdleTime: Duration = .seconds(60),
        slowStatement: Duration? = nil,
        recursiveTriggers: Bool = false
    ) {
        self.storage = storage
        self.isReadOnly = isReadOnly
        self.slowStatement = slowStatement
        self.recursiveTriggers = recursiveTriggers
        self.rotation = rotation
        self.migration = migration
        self.snapshots = snapshots
        self.groupSize = Self.limitedGroup(groupSize)
        self.groupDuration = groupDuration
        self.readerIdleTime = readerIdleTime
        self.readers = Self.limited(readers ?? max(2, ProcessInfo.processInfo.activeProcessorCount))
        self.busyTimeout = busyTimeout
        self.openTimeout = openTimeout
    }
}
