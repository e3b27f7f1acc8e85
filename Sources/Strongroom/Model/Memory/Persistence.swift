/// The storage of a record.
public enum Persistence: Sendable, Hashable {
    /// In the database's file, encrypted.
    case disk
    /// In the process's memory while the store is open; never written to disk.
    case memory
}
