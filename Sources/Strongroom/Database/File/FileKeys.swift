import Foundation

/// What opens a database's file: the keys of its chain, or the data keys that the chain opens in the envelope beside
/// the file.
///
/// An envelope that is there is never passed over, whatever the configuration asks for: without it the file could not
/// be opened any more. It is written before the file gets its data key. So there is an instant at which the envelope's
/// data key does not open the file yet, but the chain does; the next opening resumes from there.
struct FileKeys: Sendable {
    let file: DatabaseFile
    let chain: KeyChain
    /// How the file may be encrypted, oldest first.
    let ciphers: [CipherSettings]
    /// Whether the file is to have an envelope.
    let isEnvelopeWanted: Bool
    /// The envelope; nil without one.
    var envelope: EnvelopeFile.Opened?
    /// The place in the chain of the key that opens the envelope.
    var slotPlace: Int?
    /// Keys besides those of the chain whose slots are kept when the data key is replaced.
    var otherKeys: [Key] = []

    var sidecar: EnvelopeFile { EnvelopeFile(databasePath: file.path, name: file.name) }

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
        guard try sidecar.exists() else {
            guard !isEnvelopeWanted || !chain.isPlaintext else { throw nothingToWrapWith }
            return
        }
        guard !chain.isPlaintext else { throw envelopeBesidePlaintext }
        let opened = try sidecar.open(with: chain, salt: salt)
        envelope = opened
        slotPlace = opened.envelope.place
    }

    /// The place of the current key.
    var lastPlace: Int { chain.count - 1 }

    /// The settings that the file is to have.
    var settings: CipherSettings { ciphers[ciphers.count - 1] }

    /// The key that the file is to have; nil for plaintext. Before ``makeEnvelope(salt:)`` that of a file without an
    /// envelope.
    var fileKey: Key? { envelope.map { $0.envelope.fileKeys.last } ?? chain.current }

    /// The keys that may open the file, or an older copy of it, oldest first.
    var candidates: [Key] { chain.keys + (envelope?.envelope.fileKeys ?? []) }

    /// Makes the envelope that is wanted, if there is none, with the current key in its one slot.
    ///
    /// - Parameter salt: The file's first 16 bytes; nil when there are none yet.
    mutating func makeEnvelope(salt: [UInt8]?) throws {
        guard isEnvelopeWanted, envelope == nil, let key = chain.current else { return }
        let made = try OpenEnvelope(
            databaseSalt: salt ?? key.salt ?? CipherSettings.randomSalt(), key: key, label: "", date: Date())
        try sidecar.create(made)
        envelope = EnvelopeFile.Opened(envelope: made, isWhole: true)
        slotPlace = lastPlace
    }

    /// The key of a file that is about to be made; its envelope is on the disk then.
    mutating func forNewFile() throws -> DerivedKey? {
        try makeEnvelope(salt: nil)
        return try fileKey.map { key in
            try DerivedKey(key, salt: key.salt ?? CipherSettings.randomSalt(), settings: settings)
        }
    }
}

extension FileKeys {
    /// Finds the key that opens an encrypted file.
    ///
    /// - Throws: ``StrongroomError`` as ``KeyChoice/find(in:_:for:salt:size:)``; `envelopeMissing` when an envelope is
    ///   wanted, there is none, and no key of the chain opens the file.
    func find(salt: [UInt8], size: Int64) throws -> KeyChoice {
        guard let dataKeys = envelope?.envelope.fileKeys else { return try findDirectly(salt, size) }
        do {
            var choice = try KeyChoice.find(
                in: KeyChain(unchecked: dataKeys), ciphers, for: file, salt: salt, size: size)
            choice.place = slotPlace
            choice.isWrapped = true
            return choice
        } catch let error as StrongroomError where error.code == .wrongKey {
            // Whoever was giving the file its data key may have been interrupted.
            return try findDirectly(salt, size)
        }
    }

    private func findDirectly(_ salt: [UInt8], _ size: Int64) throws -> KeyChoice {
        do {
            var choice = try KeyChoice.find(in: chain, ciphers, for: file, salt: salt, size: size)
            guard isEnvelopeWanted || envelope != nil else { return choice }
            // The file is to have a data key.
            choice.isCurrent = false
            choice.current = nil
            return choice
        } catch let error as StrongroomError where error.code == .wrongKey && isEnvelopeWanted && envelope == nil {
            throw sidecar.missing
        } catch let error as StrongroomError where error.code == .wrongKey && envelope != nil {
            throw dataKeyOfAnotherTime
        }
    }

    /// The error for a file and an envelope that do not belong to the same moment.
    var dataKeyOfAnotherTime: StrongroomError {
        StrongroomError(
            .wrongKey,
            """
            A key of the chain opens the envelope "\(sidecar.path)", but the data key in it does not open \
            "\(file.path)": one of the two is older than the other, as when only one was restored from a backup. \
            Restore both from the same backup. Nothing was changed.
            """,
            database: file.name
        )
    }

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
            `KeyChain.plaintext`. Give the keys of the database; if it is gone for good, move "\(sidecar.path)" and \
            "\(sidecar.copyPath)" away. Nothing was touched.
            """,
            database: file.name
        )
    }
}
