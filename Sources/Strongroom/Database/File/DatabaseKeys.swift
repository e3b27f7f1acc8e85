import Foundation

/// The keys that may open a database's file: those of its chain, or the data keys in the envelope beside the file,
/// which the chain opens.
///
/// An existing envelope is always used, whatever the configuration says: without it the file could no longer be opened.
/// It is written before the file is changed to its data key. So there is an instant at which the envelope's data key
/// does not open the file yet, but the chain does; the next opening resumes from there.
struct DatabaseKeys: Sendable {
    let file: DatabaseFile
    let chain: KeyChain
    /// The possible cipher settings of the file, oldest first.
    let ciphers: [CipherSettings]
    /// Whether the configuration requires an envelope.
    let isEnvelopeWanted: Bool
    /// The envelope; nil if there is none.
    var envelope: OpenEnvelope?
    /// Keys besides those of the chain whose slots are kept when the data key is replaced.
    var otherKeys: [Key] = []
    /// Receives what happens to the envelope.
    private let observer: (any EnvelopeObserver)?
    /// Why the envelope was not opened, if the file does not have its data key yet and a key of the chain opens it: the
    /// provider of the envelope's key is away. The envelope is neither used nor replaced then.
    private(set) var envelopeFailure: StrongroomError?

    var envelopeFile: EnvelopeFile { EnvelopeFile(databasePath: file.path, name: file.name) }

    /// Opens the envelope if there is one, which takes a passphrase's derivation.
    ///
    /// - Parameters:
    ///   - salt: The file's first 16 bytes; nil if there are none yet.
    ///   - observer: Receives what happens to the envelope.
    init(
        _ file: DatabaseFile, _ chain: KeyChain, _ ciphers: [CipherSettings], _ protection: KeyProtection,
        salt: [UInt8]?, _ observer: (any EnvelopeObserver)? = nil
    ) throws {
        self.observer = observer
        self.file = file
        self.chain = chain
        self.ciphers = ciphers
        isEnvelopeWanted = protection == .envelope
        if let next = try nextEnvelope(salt) {
            envelope = next
            return
        }
        guard try envelopeFile.exists() else {
            // `Key.plaintext` is never the current one.
            if !isEnvelopeWanted, let key = chain.current, !key.encryptsFiles { throw envelopeNeeded }
            guard !isEnvelopeWanted || !chain.isPlaintext else {
                throw StrongroomError(
                    .invalidKey,
                    """
                    `KeyChain.plaintext` has no key that could wrap the key in an envelope. Give the keys, or leave \
                    out `KeyProtection.envelope`.
                    """,
                    database: file.name)
            }
            return
        }
        guard !chain.isPlaintext else { throw envelopeBesidePlaintext }
        do {
            envelope = try envelopeFile.open(with: chain, salt: salt, observer)
        } catch let error as StrongroomError where error.code == .keyProvider {
            guard let salt, try opensDirectly(salt) else { throw error }
            envelopeFailure = error
        }
    }

    /// Keys to try on a file without an envelope, such as a copy of a database; reads nothing.
    ///
    /// - Parameter keys: Oldest first.
    init(_ file: DatabaseFile, trying keys: [Key], _ ciphers: [CipherSettings]) {
        observer = nil
        self.file = file
        chain = KeyChain(unchecked: keys)
        self.ciphers = ciphers
        isEnvelopeWanted = false
    }

    /// The envelope of a backup, or of a restored database, that was killed before both copies had their names; nil if
    /// there is none, or the file does not open with it.
    private func nextEnvelope(_ salt: [UInt8]?) throws -> OpenEnvelope? {
        guard !chain.isPlaintext, let salt, try envelopeFile.mayDiffer(salt: salt) else { return nil }
        // With the same data key, the copies may be newer, without a slot that was revoked since.
        let current = try? envelopeFile.open(with: chain, salt: salt, observer)
        let others = try envelopeFile.all(with: chain, salt: salt, observer).filter {
            $0.sealed.dataKeyIdentifier != current?.sealed.dataKeyIdentifier
        }
        guard !others.isEmpty else { return nil }
        let connection = try file.connect(.untouched, key: nil)
        defer { connection.close() }
        let bytes = try connection.databaseFile()
        if let current, try opens(bytes, current) { return nil }
        var next = try others.first { try opens(bytes, $0) }
        next?.isIntact = false
        return next
    }

    /// Whether a key of the chain opens the file, as before it is changed to the data key of its envelope.
    private func opensDirectly(_ salt: [UInt8]) throws -> Bool {
        let connection = try file.connect(.untouched, key: nil)
        defer { connection.close() }
        return try authentic(in: connection.databaseFile(), salt: salt) != nil
    }

    /// Whether any of a file's first pages is authentic with a data key of an envelope.
    private func opens(_ bytes: any FileBytes, _ envelope: OpenEnvelope) throws -> Bool {
        try ciphers.contains { settings in
            try envelope.fileKeys.contains { key in
                let derivedKey = try DerivedKey(key, salt: envelope.databaseSalt, settings: settings)
                return try PageCipher(derivedKey).fits(bytes)
            }
        }
    }

    /// The index of the current key in the chain.
    var lastPosition: Int { chain.count - 1 }

    /// The current settings, with which the file should be encrypted.
    var settings: CipherSettings { ciphers[ciphers.count - 1] }

    /// The key with which the file should be encrypted; nil for plaintext. Before ``makeEnvelope(salt:)`` that of a
    /// file without an envelope.
    var wantedKey: Key? { envelope.map { $0.fileKeys.last } ?? chain.current }

    /// The keys that may open the file, or an older copy of it, oldest first.
    var candidates: [Key] { chain.keys + (envelope?.fileKeys ?? []) }

    /// The required envelope with one slot for the current key, not written; nil if there is one, or none is required.
    func newEnvelope(salt: [UInt8]?) throws -> OpenEnvelope? {
        if let envelopeFailure { throw envelopeFailure }
        guard isEnvelopeWanted, envelope == nil, let key = chain.current else { return nil }
        var created = try OpenEnvelope(
            databaseSalt: salt ?? key.salt ?? CipherSettings.randomSalt(), key: key, label: key.slotLabel,
            date: Date())
        created.position = lastPosition
        return created
    }

    /// Creates the required envelope, if there is none, on disk.
    mutating func makeEnvelope(salt: [UInt8]?) throws {
        guard let created = try newEnvelope(salt: salt) else { return }
        try envelopeFile.replace(nil, with: created, observer)
        envelope = created
    }

    /// Writes a changed envelope to the disk.
    mutating func write(_ changed: OpenEnvelope) throws {
        guard let old = envelope else { throw envelopeFile.missing }
        try envelopeFile.replace(old, with: changed, observer)
        // Both copies are newer.
        try envelopeFile.removeNext()
        envelope = changed
        envelope?.isIntact = true
    }

    /// The key of a file that is about to be created; its envelope is on disk then.
    mutating func forNewFile() throws -> DerivedKey? {
        try makeEnvelope(salt: nil)
        return try wantedKey.map { key in
            try DerivedKey(key, salt: key.salt ?? CipherSettings.randomSalt(), settings: settings)
        }
    }
}

extension DatabaseKeys {
    private var envelopeNeeded: StrongroomError {
        StrongroomError(
            .invalidKey,
            """
            The current key only wraps the key in an envelope, and "\(file.path)" has none. Let the configuration give \
            `KeyProtection.envelope`. Nothing was changed.
            """,
            database: file.name)
    }

    private var envelopeBesidePlaintext: StrongroomError {
        StrongroomError(
            .encryptedFile,
            """
            "\(file.path)" has an envelope with the key of an encrypted database, and its configuration gives \
            `KeyChain.plaintext`. Give the keys of the database; if it no longer exists, move "\(envelopeFile.path)" \
            and "\(envelopeFile.copyPath)" away. Nothing was changed.
            """,
            database: file.name
        )
    }
}

/// A database's file with the key that opens it, and the connection that has proved the key.
struct UnlockedFile {
    /// The index in the chain, oldest first, of the key that opens the file or its envelope; nil for a plaintext chain.
    var position: Int?
    /// Whether the file has the key that it should have.
    var isCurrent = true
    /// Whether it is a data key from the file's envelope.
    var isWrapped = false
    /// The key of further connections; nil for plaintext.
    let derivedKey: DerivedKey?
    /// The key that the file should have, with the current settings, if it was derived during the search for the
    /// matching key.
    var currentKey: DerivedKey?
    /// A connection that has proved the key; it is read-only if a killed process has left a WAL beside the file.
    var connection: Connection
}
