/// Where a store keeps its data.
public enum StoragePlace: Sendable, Hashable {
    /// In an encrypted file.
    case onDisk
    /// In the process's memory, for as long as the store is open. There is no file and no log, so nothing is encrypted
    /// and no key is asked for.
    case inMemory
}
