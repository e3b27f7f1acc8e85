import Logging
public import Strongroom

/// A registry with a program's own configuration, whose files are in a temporary directory, with keys and settings of
/// the test.
///
/// ```swift
/// let temporary = try TemporaryStores(Contacts())
/// let store = try await temporary.stores.open("contacts_alice.sqlite")
/// ```
///
/// Migrations, functions, collations, tokenizers, cipher settings and key protection are those of the configuration.
/// Its keys are not requested, and its extensions, such as replicas, are left out.
public struct TemporaryStores: Sendable {
    /// The registry.
    public let stores: Stores

    /// The directory of the files, which is removed when the value is destroyed.
    public let directory: TemporaryDirectory

    /// Creates a registry.
    ///
    /// - Parameters:
    ///   - configuration: The program's configuration.
    ///   - keys: The chain of keys, oldest first; nil for one random key.
    ///   - adjust: Changes the settings; by default they are those of the configuration.
    /// - Throws: If the directory cannot be created.
    public init(
        _ configuration: some Configuration, keys: KeyChain? = nil,
        settings adjust: @escaping @Sendable (inout StoreSettings) -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory()
        stores = Stores(
            answering: type(of: configuration).target,
            with: RelocatedConfiguration(
                original: configuration, directory: directory, keys: try keys ?? KeyChain(.random()), adjust: adjust))
    }
}

private struct RelocatedConfiguration<Original: Configuration>: Configuration {
    static var target: String { Original.target }

    let original: Original
    let directory: TemporaryDirectory
    let keys: KeyChain
    let adjust: @Sendable (inout StoreSettings) -> Void

    func filePath(for database: DatabaseName) throws -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { keys }
    func keyProtection(for database: DatabaseName) -> KeyProtection { original.keyProtection(for: database) }
    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] {
        try original.cipherSettings(for: database)
    }
    func migrator(for database: DatabaseName) throws -> Migrator? { try original.migrator(for: database) }
    func settings(for database: DatabaseName) -> StoreSettings {
        var settings = original.settings(for: database)
        adjust(&settings)
        return settings
    }
    func functions(for database: DatabaseName) -> [any DatabaseFunction] { original.functions(for: database) }
    func collations(for database: DatabaseName) -> [Collation] { original.collations(for: database) }
    func tokenizers(for database: DatabaseName) -> [TextTokenizer] { original.tokenizers(for: database) }
    func logger(for database: DatabaseName) -> Logger? { original.logger(for: database) }
}
