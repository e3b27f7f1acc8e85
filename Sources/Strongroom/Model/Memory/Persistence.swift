/// Where a record is kept.
public enum Persistence: Sendable, Hashable {
    /// In the database's file, encrypted.
    case disk
    /// In the process's memory, as long as the store is open; nothing of it is ever written to the disk.
    case memory
}
