/// The versions of a schema, in order, and the tables that it has today.
///
/// A fresh file gets today's tables and the newest version, and runs no step. An older file runs the steps that it
/// lacks, each in one transaction with the row that records it: a crash leaves the version before or the version after.
///
/// ```swift
/// Migrator(tables: [Contact.schema]) {
///     Migration("1") { db in try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
///     Migration("2") { db in try db.execute("ALTER TABLE contact ADD COLUMN phone TEXT") }
/// }
/// ```
public struct Migrator: Sendable {
    /// The steps, oldest first.
    package private(set) var migrations: [Migration]

    /// The tables of the newest version; nil when a fresh file runs every step.
    package private(set) var tables: [TableSchema]?

    /// What the file is compared with; nil for a migrator with steps.
    let automatic: AutomaticSchema?

    /// Told how far the steps have come.
    private(set) var progress: WorkMonitor.Progress?

    /// What becomes of files that went through other statements.
    private(set) var changePolicy = ChangedMigrations.warn

    /// What today's statements come to.
    let rehearsal = Rehearsal()

    /// Describes a schema's versions.
    ///
    /// - Parameters:
    ///   - tables: The tables of the newest version, which a fresh file gets; nil to run every step on a fresh file,
    ///     too.
    ///   - migrations: The steps, oldest first. A mistake in them is reported when a store is opened, before its file
    ///     is touched.
    public init(tables: [TableSchema]? = nil, @MigrationBuilder _ migrations: () -> [Migration]) {
        self.tables = tables
        self.migrations = migrations()
        automatic = nil
    }

    init(automatic: AutomaticSchema) {
        self.automatic = automatic
        tables = automatic.tables
        migrations = []
    }

    /// The newest version, or nil when there is no step.
    public var newestVersion: String? { migrations.last?.version }

    /// The same migrator as it was when a version was its newest; a fresh file runs every step, unless the version is
    /// the newest still.
    ///
    /// - Parameter version: A version of the list.
    /// - Returns: The migrator; nil when there is no such version.
    package func through(_ version: String) -> Migrator? {
        guard let place = place(of: version) else { return nil }
        var part = self
        part.migrations = Array(migrations[...place])
        if place != migrations.count - 1 { part.tables = nil }
        return part
    }

    /// The same migrator, which tells how far its steps have come, also while a store is opened.
    ///
    /// ```swift
    /// Migrator { … }.reporting { progress in
    ///     print(progress.step?.version ?? "", progress.done, progress.total)
    /// }
    /// ```
    ///
    /// - Parameter progress: Called on the thread that migrates, when a step begins and when it calls
    ///   ``MigrationTransaction/report(_:of:)``; must return soon.
    /// - Returns: The migrator.
    public func reporting(_ progress: @escaping @Sendable (WorkProgress) -> Void) -> Migrator {
        var telling = self
        telling.progress = progress
        return telling
    }

    /// The same migrator with another answer to migrations that were changed after files had been through them.
    ///
    /// - Parameter policy: What becomes of such a file; unless told otherwise it is warned of.
    /// - Returns: The migrator.
    public func whenChanged(_ policy: ChangedMigrations) -> Migrator {
        var other = self
        other.changePolicy = policy
        return other
    }

    /// The place of a version in the list.
    func place(of version: String) -> Int? {
        migrations.firstIndex { $0.version.utf8.elementsEqual(version.utf8) }
    }

    /// Checks the list.
    ///
    /// - Throws: ``StrongroomError`` with `invalidMigrator` for no step, a version without a name, or a version that
    ///   stands twice.
    func check() throws {
        if let automatic { return try automatic.check() }
        guard !migrations.isEmpty else {
            throw StrongroomError(
                .invalidMigrator, "The migrator has no migration; give it at least the first version.")
        }
        // By bytes: to Swift versions are equal that differ in how their letters are composed, and to the engine they
        // are two.
        var seen: Set<[UInt8]> = []
        for migration in migrations {
            guard !migration.version.isEmpty, !migration.version.utf8.contains(0) else {
                throw StrongroomError(
                    .invalidMigrator, "A migration has an empty version or a NUL in it; name the version.")
            }
            guard seen.insert(Array(migration.version.utf8)).inserted else {
                throw StrongroomError(
                    .invalidMigrator,
                    """
                    Version "\(migration.version)" stands twice in the migrator; give each migration a version of its \
                    own.
                    """
                )
            }
        }
    }
}

/// Collects the steps of a ``Migrator``.
@resultBuilder
public enum MigrationBuilder {
    /// One step.
    public static func buildExpression(_ migration: Migration) -> [Migration] { [migration] }

    /// Steps made elsewhere.
    public static func buildExpression(_ migrations: [Migration]) -> [Migration] { migrations }

    /// The steps in order.
    public static func buildBlock(_ parts: [Migration]...) -> [Migration] { parts.flatMap { $0 } }
}
