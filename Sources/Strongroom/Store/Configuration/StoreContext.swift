import Logging

/// What a store and all its later work need to know: what the configuration says of the database, and its file.
///
/// It never changes; making one reads and writes no file. ``located()`` gives the one that an opening goes on with.
struct StoreContext: Sendable {
    let name: DatabaseName
    /// What gives the key chain, each time that one is needed.
    let configuration: any Configuration
    /// What the configuration says, and where the data lies in fact.
    let settings: StoreSettings
    let logger: Logger?
    let migrator: Migrator?
    /// How the file may be encrypted, oldest first.
    let ciphers: [CipherSettings]
    let protection: KeyProtection
    /// The file; before ``located()`` at the path that the configuration gives. In memory it has the engine's name for
    /// that.
    let file: DatabaseFile

    var path: String { file.path }
    var isInMemory: Bool { settings.storage == .memory }
    /// Whether there is a file that is opened read-only.
    var isReadOnly: Bool { file.isReadOnly }
}

extension StoreContext {
    /// Asks a configuration for everything but the keys.
    ///
    /// - Parameter storage: Where the data is to lie; nil for where the settings say.
    /// - Throws: ``StrongroomError`` with `invalidMigrator`, `cipherSettings`, `invalidName` for a path that is not
    ///   absolute; what the configuration throws.
    init(_ name: DatabaseName, _ configuration: any Configuration, in storage: Persistence?) throws {
        var settings = configuration.settings(for: name)
        settings.storage = storage ?? settings.storage
        var logger = configuration.logger(for: name)
        logger?[metadataKey: "database"] = .string(name.fileName)
        let migrator = try configuration.migrator(for: name)
        try migrator?.check()
        var file = DatabaseFile(path: ":memory:", name, settings, logger)
        var ciphers: [CipherSettings] = []
        var protection = KeyProtection.direct
        if settings.storage == .disk {
            ciphers = try configuration.checkedCiphers(for: name)
            protection = configuration.keyProtection(for: name)
            file.path = try configuration.checkedPath(for: name)
        }
        self.init(
            name: name, configuration: configuration, settings: settings, logger: logger, migrator: migrator,
            ciphers: ciphers, protection: protection, file: file)
    }

    /// The same with another file, or with more known of it.
    private func with(_ file: DatabaseFile) -> StoreContext {
        StoreContext(
            name: name, configuration: configuration, settings: settings, logger: logger, migrator: migrator,
            ciphers: ciphers, protection: protection, file: file)
    }

    /// The same with the path at which the file lies in fact: its directory is made, unless the file is opened
    /// read-only, and links are followed.
    func located() throws -> StoreContext {
        isInMemory ? self : with(try file.located())
    }

    /// The same with the file as it is now, when nobody else is opening it: what is read of a file that is opened
    /// read-only counts only as long as it stays so.
    func withBaseline() throws -> StoreContext {
        isReadOnly ? with(try file.withBaseline()) : self
    }
}
