import Logging

/// What a store and all its later operations need: the configured values of the database, and its file.
///
/// It is immutable; creating one reads and writes no file. ``located()`` returns the one with which an opening
/// continues.
struct StoreContext: Sendable {
    let name: DatabaseName
    /// Provides the key chain, each time one is needed.
    let configuration: any Configuration
    /// The configured settings, with the storage in use.
    let settings: StoreSettings
    let logger: Logger?
    let migrator: Migrator?
    /// The cipher settings that the file may have, oldest first.
    let ciphers: [CipherSettings]
    let protection: KeyProtection
    /// The file; before ``located()``, at the configured path. In memory, it has the engine's name for that.
    var file: DatabaseFile

    var path: String { file.path }
    var isInMemory: Bool { settings.storage == .memory }
    /// Whether there is a file that is opened read-only.
    var isReadOnly: Bool { file.isReadOnly }
    var mayChangeFile: Bool { !isInMemory && !isReadOnly }
}

extension StoreContext {
    /// Requests everything but the keys from a configuration.
    ///
    /// - Parameters:
    ///   - storage: Where the data is; nil for what the settings say.
    ///   - checksMigrator: Whether an invalid migrator is an error.
    /// - Throws: ``StrongroomError`` with `invalidMigrator`, `invalidSetting`, `invalidName` for a relative path; what
    ///   the configuration throws.
    init(
        _ name: DatabaseName, _ configuration: any Configuration, in storage: Persistence? = nil,
        checksMigrator: Bool = true
    ) throws {
        var settings = configuration.settings(for: name)
        settings.storage = storage ?? settings.storage
        var logger = configuration.logger(for: name)
        logger?[metadataKey: "database"] = .string(name.fileName)
        let migrator = try configuration.migrator(for: name)
        if checksMigrator { try migrator?.check() }
        let isOnDisk = settings.storage == .disk
        var file = DatabaseFile(
            path: ":memory:", name: name.fileName,
            busyTimeout: isOnDisk ? Int(clamping: settings.busyTimeout.milliseconds) : 0,
            log: StatementLog.Settings(logger, slow: settings.slowStatement),
            hasRecursiveTriggers: settings.recursiveTriggers, pageCache: settings.pageCache,
            functions: try configuration.checkedFunctions(for: name), isReadOnly: isOnDisk && settings.isReadOnly)
        var ciphers: [CipherSettings] = []
        var protection = KeyProtection.direct
        if isOnDisk {
            ciphers = try configuration.checkedCiphers(for: name)
            protection = configuration.keyProtection(for: name)
            file.path = try configuration.checkedPath(for: name)
        }
        self.init(
            name: name, configuration: configuration, settings: settings, logger: logger, migrator: migrator,
            ciphers: ciphers, protection: protection, file: file)
    }

    /// A copy with the real path of the file: its directory is created, unless the file is opened read-only, and links
    /// are resolved.
    func located() throws -> StoreContext {
        var copy = self
        if !isInMemory { copy.file = try file.located() }
        return copy
    }

    /// A copy that records the file's present state, while no other process is opening it: for a file that is opened
    /// read-only, later reads are valid only if it stays unchanged.
    func withBaseline() throws -> StoreContext {
        var copy = self
        if isReadOnly { copy.file = try file.withBaseline() }
        return copy
    }
}
