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
    /// What happens to the keys, for the observers; nil without any.
    var keyEvents: KeyEvents?

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

/// What is done with the file.
extension StoreContext {
    /// Prevents other processes from opening the file; as ``DatabaseFile/lock(within:)`` with the settings' time.
    func lock() async throws -> FileLock {
        try await file.lock(within: settings.openTimeout)
    }

    /// The keys of the database, as the configuration provides them now.
    func keyChain() async throws -> KeyChain {
        try await configuration.keyChain(for: name)
    }

    /// The keys that may open the file; derives a passphrase's key if there is an envelope.
    ///
    /// - Parameter salt: The file's first 16 bytes; nil if there are none.
    func databaseKeys(_ chain: KeyChain, salt: [UInt8]?) throws -> DatabaseKeys {
        try DatabaseKeys(file, chain, ciphers, protection, salt: salt, keyEvents)
    }

    /// Finds the key that opens the file, if the chain allows its kind, plaintext or encrypted.
    ///
    /// - Throws: ``StrongroomError`` with `fileMissing`, `plaintextFile`, `encryptedFile`; as
    ///   ``DatabaseKeys/unlock(_:)``.
    func unlock(_ content: FileContent, _ chain: KeyChain) throws -> (DatabaseKeys, UnlockedFile) {
        switch content {
        case .absent: throw file.missing
        case .plaintext where !chain.opensPlaintext: throw plaintextFound()
        case .plaintext where !chain.isPlaintext: try file.requireNeverEncrypted()
        case .encrypted where chain.isPlaintext: throw encryptedFound()
        case .plaintext, .encrypted: break
        }
        let keys = try databaseKeys(chain, salt: content.salt)
        do {
            return (keys, try keys.unlock(content))
        } catch let error as StrongroomError where error.code == .wrongKey {
            // Another process may have written the envelope, and the file, since the envelope was read.
            guard let newer = try? databaseKeys(chain, salt: content.salt),
                newer.envelope?.sealed != keys.envelope?.sealed
            else { throw error }
            return (newer, try newer.unlock(content))
        }
    }

    /// The error for plaintext where keys are configured.
    ///
    /// - Parameter other: Its path; nil for the database.
    func plaintextFound(at other: String? = nil) -> StrongroomError {
        StrongroomError(
            .plaintextFile,
            """
            The file "\(other ?? path)" is a plaintext database, and its configuration gives keys. Put `Key.plaintext` \
            at the beginning of the chain to have it \(file.isReadOnly ? "read" : "encrypted"), or give \
            `KeyChain.plaintext` if it is to stay unencrypted. The file was not changed.
            """,
            database: name.fileName
        )
    }

    /// The error for a file that is not plaintext where no key is configured.
    ///
    /// - Parameter other: As for ``plaintextFound(at:)``.
    func encryptedFound(at other: String? = nil) -> StrongroomError {
        StrongroomError(
            .encryptedFile,
            """
            The file "\(other ?? path)" is no plaintext database, or its first bytes are damaged, and its \
            configuration gives `KeyChain.plaintext`. Give the key of the file; if it never had one, \
            restore it from a backup. The file was not changed.
            """,
            database: name.fileName
        )
    }
}

/// Which database a file belongs to, as far as a migrator maintains its schema: nothing is written to other files.
extension StoreContext {
    /// Throws if a file is that of another database.
    ///
    /// - Parameter copy: What is to replace the database, such as `The backup "…"`; nil for the database itself.
    /// - Returns: The recorded name; nil if there is none.
    /// - Throws: ``StrongroomError`` with `otherDatabase`, `damaged`.
    @discardableResult
    func requireOwnName(_ connection: Connection, of copy: String? = nil) throws -> String? {
        guard migrator != nil, let recorded = try connection.recordedName() else { return nil }
        // A file system may list a name in another Unicode form, which `==` treats as the same.
        guard recorded == name.fileName else { throw ofOther(recorded, copy) }
        return recorded
    }

    /// The error for the file of another database.
    func ofOther(_ recorded: String, _ copy: String? = nil) -> StrongroomError {
        let way =
            copy == nil
            ? "If the database was renamed, say so once: `Stores.adopt(_:from:)`, or `strongroom adopt \(name) --from "
                + "\(recorded)`"
            : "If it is meant, name that database: `adoptingFrom:`, or `--adopt-from \(recorded)`"
        return StrongroomError(
            .otherDatabase,
            """
            \(copy ?? "The file \"\(path)\"") is that of the database "\(recorded)", not of "\(name)": it was \
            exchanged, or copied to another name. \(way). Otherwise use the one of "\(name)". Nothing was changed.
            """,
            database: name.fileName)
    }
}
