import Foundation

/// The wrapped data key of a database, as stored in a sidecar: parsed, but not yet opened with a key.
///
/// The database file is encrypted with a random data key. The keys of a chain only wrap it, each in its own slot. The
/// content is not trusted before ``open(with:)`` has authenticated it: any user who can write to the directory can
/// change a sidecar.
///
/// Every byte, the derivations and the rules for what later versions add are in the guide "The format of an envelope".
struct Envelope: Sendable, Equatable {
    /// The first 16 bytes of the database's file.
    let databaseSalt: [UInt8]
    var dataKeyIdentifier: [UInt8]
    /// The number of data keys that each slot wraps: 1 or 2.
    var dataKeyCount: Int
    /// Increases with each change.
    var generation: UInt64 = 0
    var slots: [EnvelopeSlot] = []
    var authentication: [UInt8] = []

    static let maxSlots = 64
    static let longestLabel = 255
}

/// Why a copy of a sidecar cannot be opened.
enum EnvelopeDefect: Error, Equatable {
    /// Its checksum does not match, or its form is invalid.
    case damaged(String)
    /// It was written by a newer version of the library.
    case newer(version: Int)
    /// It belongs to a file with another salt.
    case foreign
    /// It is intact, and has no slot of the given keys.
    case noKeyFits
}

extension Envelope {
    /// Opens the envelope with the keys of a chain: tries the current key first, then from newest to oldest.
    ///
    /// - Parameter chain: The keys. One passphrase requires one derivation for each combination of salt and cost in the
    ///   slots, of which there is one unless the library's cost was raised.
    func open(with chain: KeyChain) throws -> OpenEnvelope {
        var wrappingKeys = WrappingKeys()
        return try open(with: chain, &wrappingKeys)
    }

    /// As ``open(with:)``, with a cache of derived keys.
    ///
    /// - Parameter whenFailed: Called with each slot whose provider fails, also if another key opens the envelope.
    /// - Throws: ``EnvelopeDefect``; ``StrongroomError`` with `keyProvider` if a provider fails and no other key opens
    ///   the envelope.
    func open(
        with chain: KeyChain, _ wrappingKeys: inout WrappingKeys,
        whenFailed: (KeySlot, StrongroomError) -> Void = { _, _ in }
    ) throws -> OpenEnvelope {
        var failure: StrongroomError?
        for (position, key) in chain.keys.enumerated().reversed() {
            for derivation in derivations {
                do {
                    guard let (slot, wrapping) = try slot(of: key, derivation, &wrappingKeys) else { continue }
                    let dataKeys = try slot.unwrap(with: wrapping, header: header)
                    try check(dataKeys)
                    return OpenEnvelope(
                        self, dataKeys: dataKeys, position: position, usedSlot: slot.fingerprint,
                        wrappingKeys: wrappingKeys)
                } catch let error as StrongroomError where error.code == .keyProvider {
                    failure = failure ?? error
                    slots.first { $0.derivation == derivation }.map { whenFailed($0.keySlot, error) }
                }
            }
        }
        throw failure ?? EnvelopeDefect.noKeyFits
    }

    /// The slot of a key with a derivation, and the key that opens it; nil if the key has none.
    ///
    /// - Throws: ``StrongroomError`` with `keyProvider` if a provider has a slot and does not give its key.
    func slot(
        of key: Key, _ derivation: SlotDerivation, _ wrappingKeys: inout WrappingKeys
    ) throws -> (EnvelopeSlot, WrappingKey)? {
        guard derivation.suits(key), !key.isPublicKey else { return nil }
        let wrapping = try wrappingKeys.key(for: key, derivation, context: databaseSalt)
        if let slot = slots.first(where: { wrapping.fits($0) }) { return (slot, wrapping) }
        if case .external(let external) = key.material { throw external.otherKey }
        return nil
    }

    /// Opens the envelope with the data keys themselves, as an open store keeps them; derives nothing.
    func open(with dataKeys: DataKeys) throws -> OpenEnvelope {
        guard dataKeys.identifier == dataKeyIdentifier else { throw EnvelopeDefect.noKeyFits }
        try check(dataKeys)
        return OpenEnvelope(self, dataKeys: dataKeys, position: nil, usedSlot: nil, wrappingKeys: WrappingKeys())
    }

    /// The distinct derivations of the slots of known kinds, newest first.
    var derivations: [SlotDerivation] {
        slots.reversed().reduce(into: []) { found, slot in
            if !slot.isUnknown, !found.contains(slot.derivation) { found.append(slot.derivation) }
        }
    }

    /// The number of derivations that the library computes itself.
    var derivationCount: Int { derivations.count(where: \.isComputed) }

    private func check(_ dataKeys: DataKeys) throws {
        guard try dataKeys.isAuthentic(authentication, for: signedBytes) else {
            throw EnvelopeDefect.damaged("its authentication code does not match its content")
        }
    }
}

extension Envelope {
    private static let magic = Array("STRGKEYS".utf8)
    private static let version: UInt16 = 1
    private static let authenticationLength = 32
    /// The maximum number of combinations of salt and cost in a sidecar, so that a forged one cannot occupy the
    /// processor for long.
    static let maxDerivations = 4

    /// The bytes that every slot's tag covers besides the slot.
    var header: [UInt8] {
        Self.magic + Self.version.bigEndianBytes + databaseSalt + dataKeyIdentifier + [UInt8(dataKeyCount)]
    }

    /// The bytes that the authentication code covers.
    var signedBytes: [UInt8] {
        header + generation.bigEndianBytes + [UInt8(slots.count)]
            + slots.flatMap { $0.head + $0.sealed + $0.derivation.further }
    }

    /// The sidecar's content.
    var bytes: [UInt8] {
        Digests.stored(signedBytes + authentication)
    }

    /// The maximum length: 64 slots with the longest labels, with room for slots of kinds that a later version adds.
    static let maxBytes = 64 * 1024

    /// Parses a sidecar's content; checks only its checksum and form.
    init(bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { throw EnvelopeDefect.damaged("it is empty") }
        guard bytes.count <= Self.maxBytes else { throw EnvelopeDefect.damaged("it is too long") }
        guard bytes.starts(with: Self.magic) else { throw EnvelopeDefect.damaged("it does not begin like an envelope") }
        guard let content = Digests.content(of: bytes) else {
            throw EnvelopeDefect.damaged("its checksum does not match its content")
        }
        var reader = StoredReader(
            content.dropFirst(Self.magic.count), or: EnvelopeDefect.damaged("it ends too early"))
        let version: UInt16 = try reader.number()
        guard version <= Self.version else { throw EnvelopeDefect.newer(version: Int(version)) }
        guard version == Self.version else { throw EnvelopeDefect.damaged("its version is \(version)") }
        try self.init(reading: &reader)
    }

    private init(reading reader: inout StoredReader) throws {
        databaseSalt = try reader.bytes(CipherSettings.saltLength)
        dataKeyIdentifier = try reader.bytes(DataKeys.identifierLength)
        let dataKeyCount = Int(try reader.byte())
        guard (1...2).contains(dataKeyCount) else { throw EnvelopeDefect.damaged("it has \(dataKeyCount) data keys") }
        self.dataKeyCount = dataKeyCount
        generation = try reader.number()
        let slotCount = Int(try reader.byte())
        guard (1...Self.maxSlots).contains(slotCount) else {
            throw EnvelopeDefect.damaged("it has \(slotCount) slots")
        }
        slots = try (0..<slotCount).map { _ in try EnvelopeSlot(reading: &reader, dataKeyCount: dataKeyCount) }
        authentication = try reader.bytes(Self.authenticationLength)
        guard reader.isAtEnd else { throw EnvelopeDefect.damaged("it has trailing bytes") }
        // So no two have one public key, either: the label of one would get it the fingerprint of the other.
        let isOfKey = slots.allSatisfy { slot in
            slot.derivation.publicKey.map {
                slot.fingerprint == WrappingKey.fingerprint(ofPublicKey: $0, context: databaseSalt)
            } ?? true
        }
        guard isOfKey else { throw EnvelopeDefect.damaged("the fingerprint of a public key is that of another") }
        guard Set(slots.map(\.fingerprint)).count == slots.count else {
            throw EnvelopeDefect.damaged("two of its slots have the same key")
        }
        let external = slots.compactMap(\.derivation.wrapped?.identifier)
        guard Set(external).count == external.count else {
            throw EnvelopeDefect.damaged("two of its slots have the same external key")
        }
        guard derivationCount <= Self.maxDerivations else {
            throw EnvelopeDefect.damaged("it has more than \(Self.maxDerivations) derivations")
        }
    }
}

/// The slot of one key in an envelope.
struct EnvelopeSlot: Sendable, Equatable {
    enum Use: UInt8 {
        case chain = 0
        case recovery = 1
    }

    let fingerprint: KeyFingerprint
    /// When the slot was created, in seconds since 1970.
    let created: Int64
    let use: Use
    let derivation: SlotDerivation
    let label: String
    /// Nonce, encrypted data keys, tag.
    private(set) var sealed: [UInt8] = []

    /// Whether a newer version has added its kind: the slot is kept byte by byte, and no key opens it.
    var isUnknown: Bool {
        if case .unknown = derivation { true } else { false }
    }

    init(
        _ dataKeys: DataKeys, with key: WrappingKey, header: [UInt8], label: String, created: Int64, use: Use
    ) throws {
        fingerprint = key.fingerprint
        derivation = key.derivation
        self.label = label
        self.created = created
        self.use = use
        sealed = try dataKeys.withUnsafeBytes { bytes in
            try Cryptography.seal(
                bytes, with: key.secret, nonce: key.nonce, authenticating: header + head + derivation.further)
        }
    }

    func unwrap(with key: WrappingKey, header: [UInt8]) throws -> DataKeys {
        let authenticated = header + head + derivation.further
        guard let keys = Cryptography.open(sealed, with: key.secret, authenticating: authenticated) else {
            throw EnvelopeDefect.damaged("the wrapped key of its slot \"\(fingerprint)\" was changed")
        }
        return DataKeys(material: keys)
    }

    /// The same key's slot with other data keys, or another label.
    func wrapping(
        _ dataKeys: DataKeys, with key: WrappingKey, header: [UInt8], label: String? = nil
    ) throws -> EnvelopeSlot {
        try EnvelopeSlot(dataKeys, with: key, header: header, label: label ?? self.label, created: created, use: use)
    }

    /// The public description of the slot.
    var keySlot: KeySlot {
        KeySlot(
            fingerprint: fingerprint,
            label: label,
            created: Date(timeIntervalSince1970: TimeInterval(created)),
            isRecovery: use == .recovery,
            isUnknown: isUnknown,
            externalIdentifier: derivation.wrapped?.identifier,
            publicKey: derivation.publicKey.map(PEM.text)
        )
    }
}

extension Key {
    /// The label of a slot that is created for a key of a chain automatically.
    var slotLabel: String {
        switch material {
        case .passphrase: "key chain: passphrase"
        case .external: "key chain: external key"
        case .pair: "key chain: private key"
        default: "key chain: raw key"
        }
    }
}

extension EnvelopeSlot {
    /// The bytes before the nonce.
    var head: [UInt8] {
        fingerprint.bytes + created.bigEndianBytes + [use.rawValue] + derivation.bytes + [UInt8(label.utf8.count)]
            + label.utf8
    }

    init(reading reader: inout StoredReader, dataKeyCount: Int) throws {
        fingerprint = KeyFingerprint(bytes: try reader.bytes(KeyFingerprint.length))
        created = try reader.number()
        guard let use = Use(rawValue: try reader.byte()) else {
            throw EnvelopeDefect.damaged("a slot has an unknown use")
        }
        self.use = use
        let numbers = try reader.bytes(SlotDerivation.length)
        let length = Int(try reader.byte())
        guard let label = String(validating: try reader.bytes(length), as: UTF8.self) else {
            throw EnvelopeDefect.damaged("a label is not UTF-8")
        }
        self.label = label
        let wrapped = Cryptography.nonceLength + DataKeys.length * dataKeyCount + Cryptography.tagLength
        sealed = try reader.bytes(wrapped)
        derivation = try SlotDerivation(numbers, further: reader.bytes(SlotDerivation.furtherCount(numbers)))
    }
}
