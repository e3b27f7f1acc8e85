import Logging
import Strongroom

/// A database's configuration for commands: no file is rewritten unless the command requires it.
struct OperatedConfiguration: Configuration {
    // Registered for the target of its database.
    static let target = "strongroom"

    /// The configuration of the database; nil for a file without one.
    let base: (any Configuration)?
    /// The file; nil for that of the configuration.
    let path: String?
    /// The keys; nil for those of the configuration.
    var keys: KeyChain?
    /// Whether files in a form that the configuration does not expect are opened for conversion: plaintext files, and
    /// those with default settings of an engine.
    var opensEveryForm = false
    /// Whether a plaintext file is encrypted while it is opened, before anything else is done with it.
    var encryptsWhenOpened = false
    /// Whether the file is opened read-only and not changed.
    var isReadOnly = false
    /// Whether it is a new database in memory instead of the file, without keys.
    var isInMemory = false
    /// Whether a database in memory gets the tables of the configuration.
    var migratesInMemory = false
    /// What ships the database's commits while it is open; commands that do not name a replica ship nothing: the next
    /// store with one ships what they have written.
    var extensions: [any StoreExtension] = []

    func extensions(for database: DatabaseName) -> [any StoreExtension] { extensions }

    func filePath(for database: DatabaseName) throws -> String? {
        try path ?? base?.filePath(for: database)
    }

    func keyChain(for database: DatabaseName) async throws -> KeyChain {
        if isInMemory { return .plaintext }
        let chain: KeyChain
        if let keys {
            chain = keys
        } else if let base {
            chain = try await base.keyChain(for: database)
        } else {
            throw CommandFailure("noKey", "There is no key for \"\(database)\". Give --key-file.", .configuration)
        }
        return opensEveryForm ? chain.openingPlaintext() : chain
    }

    func keyProtection(for database: DatabaseName) -> KeyProtection {
        base?.keyProtection(for: database) ?? .direct
    }

    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] {
        guard let base else { return try CipherSettings.known() }
        let own = try base.cipherSettings(for: database)
        return opensEveryForm ? try CipherSettings.known().filter { !own.contains($0) } + own : own
    }

    func migrator(for database: DatabaseName) throws -> Migrator? {
        // A read-only command may also read files of a newer program.
        isReadOnly || isInMemory && !migratesInMemory ? nil : try base?.migrator(for: database)
    }

    func settings(for database: DatabaseName) -> StoreSettings {
        var settings = base?.settings(for: database) ?? StoreSettings()
        if settings.rotation.isOnOpen { settings.rotation = .manual }
        if encryptsWhenOpened, settings.rotation == .manual { settings.rotation = .onOpen }
        settings.migration = .manual
        if isReadOnly { settings.isReadOnly = true }
        if isInMemory { (settings.storage, settings.migration) = (.memory, .onOpen) }
        return settings
    }

    func functions(for database: DatabaseName) -> [any DatabaseFunction] { base?.functions(for: database) ?? [] }

    func collations(for database: DatabaseName) -> [Collation] { base?.collations(for: database) ?? [] }

    func tokenizers(for database: DatabaseName) -> [TextTokenizer] { base?.tokenizers(for: database) ?? [] }

    func logger(for database: DatabaseName) -> Logger? { base?.logger(for: database) }
}
