import Foundation

/// The slot of one key in an envelope.
struct EnvelopeSlot: Sendable, Equatable {
    /// The purpose of a slot's key.
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

    /// Wraps data keys.
    ///
    /// - Parameters:
    ///   - dataKeys: The data keys to wrap.
    ///   - key: The key that wraps them.
    ///   - header: The part of the envelope that the tag also covers.
    init(
        _ dataKeys: DataKeys, with key: WrappingKey, header: [UInt8], label: String, created: Int64, use: Use
    ) throws {
        fingerprint = key.fingerprint
        derivation = key.derivation
        self.label = label
        self.created = created
        self.use = use
        sealed = try dataKeys.withUnsafeBytes { bytes in
            try Cryptography.seal(bytes, with: key.secret, authenticating: header + head)
        }
    }

    /// Unwraps the data keys.
    ///
    /// - Throws: ``EnvelopeDefect`` with `damaged` if the tag does not match.
    func unwrap(with key: WrappingKey, header: [UInt8]) throws -> DataKeys {
        guard let keys = Cryptography.open(sealed, with: key.secret, authenticating: header + head) else {
            throw EnvelopeDefect.damaged("the wrapped key of its slot \"\(fingerprint)\" is not what was written")
        }
        return DataKeys(material: keys)
    }

    /// The same key's slot with other data keys.
    func wrapping(_ dataKeys: DataKeys, with key: WrappingKey, header: [UInt8]) throws -> EnvelopeSlot {
        try EnvelopeSlot(dataKeys, with: key, header: header, label: label, created: created, use: use)
    }

    /// The public description of the slot.
    var keySlot: KeySlot {
        KeySlot(
            fingerprint: fingerprint,
            label: label,
            created: Date(timeIntervalSince1970: TimeInterval(created)),
            isRecovery: use == .recovery
        )
    }
}

extension Key {
    /// The label of a slot that is made for a key of a chain without being asked for.
    var slotLabel: String {
        if case .passphrase = material { return "key chain: passphrase" }
        return "key chain: raw key"
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
            throw EnvelopeDefect.damaged("a slot has a use that does not exist")
        }
        self.use = use
        derivation = try SlotDerivation(reading: &reader)
        let length = Int(try reader.byte())
        guard let label = String(validating: try reader.bytes(length), as: UTF8.self) else {
            throw EnvelopeDefect.damaged("a label is not UTF-8")
        }
        self.label = label
        sealed = try reader.bytes(Cryptography.nonceLength + DataKeys.length * dataKeyCount + Cryptography.tagLength)
    }
}
