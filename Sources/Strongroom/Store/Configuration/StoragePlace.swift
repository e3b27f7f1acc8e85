/// Where a store keeps its data.
public enum StoragePlace: Sendable, Hashable {
    /// In an encrypted file.
    case onDisk
    /// In the process's memory, while the store is open. There is no file and no WAL, so nothing is encrypted and no
    /// key is requested.
    case inMemory
}
