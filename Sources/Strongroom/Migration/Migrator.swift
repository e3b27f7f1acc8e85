/// The versions of a schema, in order, and the tables that it has today.
///
/// A fresh file gets today's tables and the newest version, and runs no step. An older file runs the steps that it lacks, each
/// in one transaction with the row that records it: a crash leaves the version before or the version after.
///
/// ```swift
/// Migrator(tables: [Contact.schema]) {
///     Migration("1") { db in try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
///     Migration("2") { db in try db.execute("ALTER TABLE contact ADD COLUMN phone TEXT") }
/// }
/// ```
public struct Migrator: Sendable {
    /// The steps, oldest first.
    let migrations: [Migration]

    /// The tables of the newest version; nil when a fresh file runs every step.
    let tables: [TableSchema]?

    /// Describes a schema's versions.
    ///
    /// - Parameters:
    ///   - tables: The tables of the newest version, which a fresh file gets; nil to run every step on a fresh file, too.
    ///   - migrations: The steps, oldest first. A mistake in them is reported when a store is opened, before its file is touched.
    public init(tables: [TableSchema]? = nil, @MigrationBuilder _ migrations: () -> [Migration]) {
        self.tables = tables
        self.migrations = migrations()
    }

    /// The newest version, or nil when there is no step.
    public var newestVersion: String? { migrations.last?.version }

    /// Checks the list.
    ///
    /// - Throws: ``StrongroomError`` with `invalidMigrator` for no step, a version without a name, or a version that stands twice.
    func check() throws {
        guard !migrations.isEmpty else {
            throw StrongroomError(
                .invalidMigrator, "The migrator has no migration; give it at least the first version.")
        }
        var seen: Set<String> = []
        for migration in migrations {
            guard !migration.version.isEmpty, !migration.version.utf8.contains(0) else {
                throw StrongroomError(
                    .invalidMigrator, "A migration has an empty version or a NUL in it; name the version.")
            }
            guard seen.insert(migration.version).inserted else {
                throw StrongroomError(
                    .invalidMigrator,
                    "Version «\(migration.version)» stands twice in the migrator; give each migration a version of its own."
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
