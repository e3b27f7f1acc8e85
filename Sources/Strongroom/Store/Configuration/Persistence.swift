/// Where a store, or a single object of it, is kept.
public enum Persistence: Sendable, Hashable {
    /// In the database's file, encrypted.
    case disk
    /// In the process's memory while the store is open; never written to disk. A store in memory has no file and no
    /// WAL, so nothing is encrypted and no key is requested.
    case memory
}
