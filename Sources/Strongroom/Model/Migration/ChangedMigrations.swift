/// What becomes of a file that went through a migration whose statements are others in today's program: it may have
/// another schema than a file that is made today.
///
/// With each step a file keeps a fingerprint: the SHA-256 of the statements that the step ran, without their bound
/// values, comments and spaces. To compare, an opening runs the steps that the file has been through on an empty
/// database in memory, the first time that it uses a migrator: some milliseconds, a step that works for long is given
/// up after about a tenth of a second of the engine's work, and what comes after a step that cannot run on an empty
/// database is not compared. A file that was made with today's tables has run no step, and nothing is compared.
///
/// What depends on rows is not compared either: inserts, updates and deletes after a step's first query.
public enum ChangedMigrations: Sendable, Hashable {
    /// The logger is warned and ``MigrationReport/changed`` names them; the file is used.
    case warn
    /// The store is not opened, and the file is not touched.
    case refuse
    /// Nothing is compared, and no step runs in memory.
    case ignore
}
