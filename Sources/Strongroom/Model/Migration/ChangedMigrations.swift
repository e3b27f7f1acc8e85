/// The policy for a file whose migrations have changed since it went through them: it may have another schema than a
/// file that is created today.
///
/// With each step a file stores a fingerprint: the SHA-256 of the statements that the step ran, without their bound
/// values, comments and whitespace. For the comparison, the first opening with a migrator runs the steps that the file
/// went through on an empty in-memory database. This takes some milliseconds; a long step is interrupted after about a
/// tenth of a second of the engine's work, and the steps after one that cannot run on an empty database are not
/// compared. A file that was created with today's tables has run no step, and nothing is compared.
///
/// Statements that depend on rows are not compared either: inserts, updates and deletes after a step's first query.
public enum ChangedMigrations: Sendable, Hashable {
    /// A warning is logged, ``MigrationReport/changed`` contains the versions, and the store opens.
    case warn
    /// Opening the store fails; the file is not changed.
    case refuse
    /// Nothing is compared, and no step runs in memory.
    case ignore
}
