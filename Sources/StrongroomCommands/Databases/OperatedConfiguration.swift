import Logging
import Strongroom

/// A database's configuration as a command uses it: nothing is rewritten unless the command asks for it.
struct OperatedConfiguration: Configuration {
    // It is registered for the target of the database that it serves.
    static let target = "strongroom"

    /// The configuration of the database; nil for a file without one.
    let base: (any Configuration)?
    /// The file; nil where the configuration says.
    let path: String?
    /// The keys; nil for the configuration's.
    let keys: KeyChain?
    /// Whether files are opened, to be converted, that the configuration does not expect: plaintext ones, and those
    /// with the settings that engines take by themselves.
    var opensEveryForm = false
    /// Whether the file is opened read-only, and left as it is.
    var isReadOnly = false

    func filePath(for database: DatabaseName) throws -> String? {
        try path ?? base?.filePath(for: database)
    }

    func keyChain(for database: DatabaseName) async throws -> KeyChain {
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
        // Whoever only looks may look at what a newer program has made.
        isReadOnly ? nil : try base?.migrator(for: database)
    }

    func settings(for database: DatabaseName) -> StoreSettings {
        var settings = base?.settings(for: database) ?? StoreSettings()
        if settings.rotation == .onOpen { settings.rotation = .manual }
        settings.migration = .manual
        if isReadOnly { settings.isReadOnly = true }
        return settings
    }

    func logger(for database: DatabaseName) -> Logger? { base?.logger(for: database) }
}
