/// The versions of a schema, in order, and its current tables, with which a new file is created. An older file runs the
/// missing steps, each in one transaction with the record of its version.
///
/// ```swift
/// Migrator(tables: [Contact.schema]) {
///     Migration("1") { db in try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
///     Migration("2") { db in try db.execute("ALTER TABLE contact ADD COLUMN phone TEXT") }
/// }
/// ```
public struct Migrator: Sendable, Refinable {
    package let migrations: [Migration]

    /// The tables of the newest version; nil if a new file runs every step.
    package let tables: [TableSchema]?

    /// The declared tables of an automatic migrator; nil for a migrator with steps.
    let automatic: AutomaticSchema?

    /// Called before each statement of an automatic migration, and with nil at its end.
    private(set) var changeWatch: (@Sendable (String?) throws -> Void)?

    private(set) var progress: WorkMonitor.Progress?

    private(set) var changePolicy = ChangedMigrations.warn

    /// The number of steps whose fingerprints are known, and the fingerprints: a configuration that keeps its migrator
    /// computes them once.
    let knownFingerprints = Locked<(count: Int, fingerprints: [[UInt8]: String])>((0, [:]))

    /// Creates a migrator with steps.
    ///
    /// - Parameters:
    ///   - tables: The tables of the newest version, which are created in a new file; nil to run every step on a new
    ///     file, too.
    ///   - migrations: The steps, oldest first. An invalid list is reported when a store is opened, before its file is
    ///     changed.
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

    /// Whether it has no steps and compares the declared tables with those of the file.
    package var isAutomatic: Bool { automatic != nil }

    package var removesColumns: Bool { automatic?.removesColumns ?? false }

    /// The newest version, or nil if there is no step.
    public var newestVersion: String? { migrations.last?.version }

    /// Adds a progress callback, which is also called while a store is opened.
    ///
    /// - Parameter progress: Called on the migrating thread when a step begins and when it calls
    ///   ``MigrationTransaction/report(_:of:)``; must return quickly.
    /// - Returns: The migrator.
    public func reporting(_ progress: @escaping @Sendable (WorkProgress) -> Void) -> Migrator {
        refined { $0.progress = progress }
    }

    /// Watches the statements of an automatic migration; for the testing library, which interrupts them.
    ///
    /// - Parameter watch: Called before each statement, and with nil before the commit; an error that it throws is
    ///   thrown in place of the statement.
    package func watchingChanges(_ watch: @escaping @Sendable (String?) throws -> Void) -> Migrator {
        refined { $0.changeWatch = watch }
    }

    /// Sets the policy for migrations that have changed since files went through them.
    ///
    /// - Parameter policy: The policy; by default a warning is logged.
    /// - Returns: The migrator.
    public func whenChanged(_ policy: ChangedMigrations) -> Migrator {
        refined { $0.changePolicy = policy }
    }

    func index(of version: String) -> Int? {
        migrations.firstIndex { $0.version.utf8.elementsEqual(version.utf8) }
    }

    func check() throws {
        if let automatic { return try automatic.check() }
        guard !migrations.isEmpty else {
            throw StrongroomError(
                .invalidMigrator, "The migrator has no migration; add at least the first version.")
        }
        // By bytes: Swift treats versions as equal that differ only in Unicode composition, the engine does not.
        var seen: Set<[UInt8]> = []
        for migration in migrations {
            guard !migration.version.isEmpty, !migration.version.utf8.contains(0) else {
                throw StrongroomError(
                    .invalidMigrator, "A migration has an empty version or a NUL in it; set its version.")
            }
            guard seen.insert(Array(migration.version.utf8)).inserted else {
                throw StrongroomError(
                    .invalidMigrator,
                    """
                    Version "\(migration.version)" is used twice in the migrator; use a separate version for each \
                    migration.
                    """
                )
            }
        }
    }
}

/// Collects the steps of a ``Migrator``, also with `if`, `switch` and `for`.
///
/// ```swift
/// Migrator {
///     Migration("1") { db in try db.createTable(Contact.schema) }
///     if keepsTrace { Migration("trace") { db in try db.createTable(Trace.schema) } }
/// }
/// ```
///
/// A file remembers its steps, so a condition must have the same value whenever the same file is opened, and a list
/// must only grow at its end.
@resultBuilder
public enum MigrationBuilder {
    /// One step.
    public static func buildExpression(_ migration: Migration) -> [Migration] { [migration] }

    /// A list of steps.
    public static func buildExpression(_ migrations: [Migration]) -> [Migration] { migrations }

    /// The steps in order.
    public static func buildBlock(_ parts: [Migration]...) -> [Migration] { parts.flatMap { $0 } }

    /// The steps of an `if` without `else`; none if its condition is false.
    public static func buildOptional(_ part: [Migration]?) -> [Migration] { part ?? [] }

    /// The steps of the first branch of an `if` or a `switch`.
    public static func buildEither(first part: [Migration]) -> [Migration] { part }

    /// The steps of another branch.
    public static func buildEither(second part: [Migration]) -> [Migration] { part }

    /// The steps of a `for` loop, in the order of its passes.
    public static func buildArray(_ parts: [[Migration]]) -> [Migration] { parts.flatMap { $0 } }

    /// The steps of an `if #available`.
    public static func buildLimitedAvailability(_ part: [Migration]) -> [Migration] { part }
}

/// The policy for a file whose migrations have changed since it went through them: it may have another schema than a
/// file that is created today.
///
/// With each step a file stores a fingerprint: the SHA-256 of the statements that the step ran, without their bound
/// values, comments and whitespace. For the comparison, the first opening with a migrator runs the steps that the file
/// went through on an empty in-memory database. <doc:Migrations> has what is not compared.
public enum ChangedMigrations: Sendable, Hashable {
    /// A warning is logged, ``MigrationReport/changed`` contains the versions, and the store opens.
    case warn
    /// Opening the store fails; the file is not changed.
    case refuse
    /// Nothing is compared, and no step runs in memory.
    case ignore
}

/// One step from a version of the schema to the next.
///
/// ```swift
/// Migration("2") { db in
///     try db.addColumn(Contact.columns.phone, to: "contact")
/// } down: { db in
///     try db.dropColumn("phone", from: "contact")
/// }
/// ```
public struct Migration: Sendable {
    /// The closure of a migration.
    public typealias Step = @Sendable (borrowing MigrationTransaction) throws -> Void

    /// The schema version after this step.
    public let version: String

    package let up: Step
    package let down: Step?

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - version: The schema version after the step; not empty, and unique within a migrator.
    ///   - up: Changes the schema and the rows. Runs in one transaction with the record of the version.
    ///   - down: Reverts the step, for an explicit downgrade; nil if the step cannot be reverted.
    public init(_ version: String, _ up: @escaping Step, down: Step? = nil) {
        self.version = version
        self.up = up
        self.down = down
    }
}
