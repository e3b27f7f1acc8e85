/// When a file with an older schema version is migrated.
public enum MigrationPolicy: Sendable, Hashable {
    /// When it is opened.
    case onOpen
    /// Only by `Store.migrate()`; until then the store is open at the version of the file. A new file is created at the
    /// newest version nevertheless, and a file of a newer program is refused.
    case manual
}
