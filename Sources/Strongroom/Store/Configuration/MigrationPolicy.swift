/// When a file that is at an older version is migrated.
public enum MigrationPolicy: Sendable, Hashable {
    /// While it is being opened.
    case onOpen
    /// Only when `Store.migrate()` asks for it; until then the store is open at the version that the file has. A new
    /// file is made at the newest version all the same, and one of a newer program is refused.
    case manual
}
