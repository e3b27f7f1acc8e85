import Foundation

/// What opens a database's file: the keys of its chain, or the data keys that the chain opens in the envelope beside
/// the file.
///
/// An envelope that is there is never passed over, whatever the configuration asks for: without it the file could not
/// be opened any more. It is written before the file gets its data key. So there is an instant at which the envelope's
/// data key does not open the file yet, but the chain does; the next opening resumes from there.
struct DatabaseKeys: Sendable {
    let file: DatabaseFile
    let chain: KeyChain
    /// How the file may be encrypted, oldest first.
    let ciphers: [CipherSettings]
    /// Whether the file is to have an envelope.
    let isEnvelopeWanted: Bool
    /// The envelope; nil without one.
    var envelope: OpenEnvelope?
    /// Keys besides those of the chain whose slots are kept when the data key is replaced.
    var otherKeys: [Key] = []

    var envelopeFile: EnvelopeFile { EnvelopeFile(databasePath: file.path, name: file.name) }

    /// Opens the envelope if there is one; takes a passphrase's derivation then.
    ///
    /// - Parameter salt: The file's first 16 bytes; nil when there are none yet.
    /// - Throws: ``StrongroomError`` as ``EnvelopeFile/open(with:salt:)``; `encryptedFile` or `invalidKey` for a chain
    ///   that stands for plaintext.
    init(
        _ file: DatabaseFile, _ chain: KeyChain, _ ciphers: [CipherSettings], _ protection: KeyProtection,
        salt: [UInt8]?
    ) throws {
        self.file = file
        self.chain = chain
        self.ciphers = ciphers
        isEnvelopeWanted = protection == .envelope
        guard try envelopeFile.exists() else {
            guard !isEnvelopeWanted || !chain.isPlaintext else { throw nothingToWrapWith }
            return
        }
        guard !chain.isPlaintext else { throw envelopeBesidePlaintext }
        envelope = try envelopeFile.open(with: chain, salt: salt)
    }

    /// Keys that are tried on a file that has no envelope, such as a copy of a database; nothing is read.
    ///
    /// - Parameter keys: Oldest first.
    init(_ file: DatabaseFile, trying keys: [Key], _ ciphers: [CipherSettings]) {
        self.file = file
        chain = KeyChain(unchecked: keys)
        self.ciphers = ciphers
        isEnvelopeWanted = false
    }

    /// The index of the current key in the chain.
    var lastPosition: Int { chain.count - 1 }

    /// The settings that the file is to have.
    var settings: CipherSettings { ciphers[ciphers.count - 1] }

    /// The key that the file is to have; nil for plaintext. Before ``makeEnvelope(salt:)`` that of a file without an
    /// envelope.
    var wantedKey: Key? { envelope.map { $0.fileKeys.last } ?? chain.current }

    /// The keys that may open the file, or an older copy of it, oldest first.
    var candidates: [Key] { chain.keys + (envelope?.fileKeys ?? []) }

    /// Makes the envelope that is wanted, if there is none, with the current key in its one slot.
    ///
    /// - Parameter salt: The file's first 16 bytes; nil when there are none yet.
    mutating func makeEnvelope(salt: [UInt8]?) throws {
        guard isEnvelopeWanted, envelope == nil, let key = chain.current else { return }
        var made = try OpenEnvelope(
            databaseSalt: salt ?? key.salt ?? CipherSettings.randomSalt(), key: key, label: "", date: Date())
        try envelopeFile.create(made)
        made.position = lastPosition
        envelope = made
    }

    /// The key of a file that is about to be made; its envelope is on the disk then.
    mutating func forNewFile() throws -> DerivedKey? {
        try makeEnvelope(salt: nil)
        return try wantedKey.map { key in
            try DerivedKey(key, salt: key.salt ?? CipherSettings.randomSalt(), settings: settings)
        }
    }
}

extension DatabaseKeys {
    private var nothingToWrapWith: StrongroomError {
        StrongroomError(
            .invalidKey,
            """
            `KeyChain.plaintext` has no key that an envelope could be closed with. Give the keys, or leave out \
            `KeyProtection.envelope`.
            """,
            database: file.name
        )
    }

    private var envelopeBesidePlaintext: StrongroomError {
        StrongroomError(
            .encryptedFile,
            """
            Beside "\(file.path)" lies an envelope with the key of an encrypted database, and its configuration gives \
            `KeyChain.plaintext`. Give the keys of the database; if it is gone for good, move "\(envelopeFile.path)" \
            and "\(envelopeFile.copyPath)" away. Nothing was touched.
            """,
            database: file.name
        )
    }
}
