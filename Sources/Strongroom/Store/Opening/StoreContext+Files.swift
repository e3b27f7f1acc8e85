import Logging

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
        try DatabaseKeys(file, chain, ciphers, protection, salt: salt)
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
        guard migrator != nil, let recorded = try RecordedName(connection: connection).read() else { return nil }
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
