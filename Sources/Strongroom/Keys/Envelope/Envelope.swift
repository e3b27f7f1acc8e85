/// The wrapped data key of a database, as a sidecar keeps it: read, but not yet opened with a key.
///
/// The database file is encrypted with a random data key. The keys of a chain only wrap it, each in a slot of its own.
/// What stands here counts only once ``open(with:)`` has proved it: a sidecar is a file that anybody who can write the
/// directory can change.
///
/// ## Format, version 1
///
/// Numbers are big-endian. The fixed part:
///
/// | from | bytes | content |
/// |---|---|---|
/// | 0 | 8 | magic: `STRGKEYS` |
/// | 8 | 2 | version: 1 |
/// | 10 | 16 | the database's salt, its file's first bytes: whose envelope this is |
/// | 26 | 16 | identifier of the data keys, made of them by HKDF |
/// | 42 | 1 | number of data keys: 1, or 2 while the data key itself is being replaced, oldest first |
/// | 43 | 8 | generation: the change with which the whole was written, from 1 on |
/// | 51 | 1 | number of slots: 1 to 64 |
///
/// Then the slots, oldest first, each of *n* bytes of label and *d* data keys:
///
/// | from | bytes | content |
/// |---|---|---|
/// | 0 | 8 | fingerprint of the slot's key |
/// | 8 | 8 | when the slot was made, in seconds since 1970, signed |
/// | 16 | 1 | use: 0 a key of the chain, 1 a recovery key |
/// | 17 | 1 | derivation: 1 HKDF-SHA256, for raw keys; 2 scrypt, for passphrases |
/// | 18 | 1 | scrypt: binary logarithm of the rounds, 10 to 18; otherwise 0 |
/// | 19 | 1 | scrypt: block size, 8; otherwise 0 |
/// | 20 | 1 | scrypt: parallelism, 1 to 4; otherwise 0 |
/// | 21 | 16 | salt of the derivation |
/// | 37 | 1 | *n*, 0 to 255 |
/// | 38 | *n* | label, UTF-8 |
/// | 38 + *n* | 12 | nonce |
/// | 50 + *n* | 32 × *d* | the data keys, encrypted by AES-256-GCM |
/// | 50 + *n* + 32 × *d* | 16 | its tag |
///
/// The derivation's 32 bytes give two keys by HKDF: the one that encrypts the data keys, and the fingerprint, which so
/// tests no guess of a passphrase more cheaply than the derivation does. The tag also covers the fixed part up to the
/// generation, and the slot up to the nonce.
///
/// At the end:
///
/// | from the end | bytes | content |
/// |---|---|---|
/// | 64 | 32 | HMAC-SHA256 of all before it; its key comes from the data keys by HKDF: no slot changes unseen |
/// | 32 | 32 | SHA-256 of all before it: tells a damaged copy from one that no key fits, before any derivation |
///
/// Every later version keeps the first 10 bytes and the last 32 as they are here, so that this one can tell it from
/// damage.
struct Envelope: Sendable, Equatable {
    /// The first 16 bytes of the database's file.
    let databaseSalt: [UInt8]
    /// What the data keys are told by.
    var dataKeyIdentifier: [UInt8]
    /// How many data keys each slot wraps: 1 or 2.
    var dataKeyCount: Int
    /// Grows with each change.
    var generation: UInt64
    /// The slots, oldest first.
    var slots: [EnvelopeSlot]
    /// The code over all of it.
    var authentication: [UInt8]

    static let mostSlots = 64
    static let longestLabel = 255
}

/// Why a copy of a sidecar does not open.
enum EnvelopeDefect: Error, Equatable {
    /// Its bytes are not those that were written, or not in a form that they can have.
    case damaged(String)
    /// A newer program has written it.
    case newer(version: Int)
    /// It belongs to a file with another salt.
    case foreign
    /// It is whole, and no slot is one of the given keys'.
    case noKeyFits
}

extension Envelope {
    /// Finds the slot of a chain's key: the current key first, then from newest to oldest.
    ///
    /// - Parameter chain: The keys. One passphrase takes one derivation for each combination of salt and cost in the
    ///   slots, of which there is one unless the library's cost was raised.
    /// - Returns: What can be read and changed.
    /// - Throws: ``EnvelopeDefect`` with `noKeyFits` or `damaged`, or ``StrongroomError`` with `outOfMemory`.
    func open(with chain: KeyChain) throws -> OpenEnvelope {
        var wrappingKeys = WrappingKeys()
        return try open(with: chain, &wrappingKeys)
    }

    /// As ``open(with:)``, with what has been derived before.
    func open(with chain: KeyChain, _ wrappingKeys: inout WrappingKeys) throws -> OpenEnvelope {
        for (position, key) in chain.keys.enumerated().reversed() {
            for derivation in derivations where derivation.suits(key) {
                let wrapping = try wrappingKeys.key(for: key, derivation)
                guard let slot = slots.first(where: { wrapping.fits($0) }) else { continue }
                let dataKeys = try slot.unwrap(with: wrapping, header: header)
                try check(dataKeys)
                return OpenEnvelope(
                    self, dataKeys: dataKeys, position: position, usedSlot: slot.fingerprint,
                    wrappingKeys: wrappingKeys)
            }
        }
        throw EnvelopeDefect.noKeyFits
    }

    /// Opens with the data keys themselves, as a store that is open has them; nothing is derived.
    ///
    /// - Throws: ``EnvelopeDefect`` with `noKeyFits` when they are others, or `damaged`.
    func open(with dataKeys: DataKeys) throws -> OpenEnvelope {
        guard dataKeys.identifier == dataKeyIdentifier else { throw EnvelopeDefect.noKeyFits }
        try check(dataKeys)
        return OpenEnvelope(self, dataKeys: dataKeys, position: nil, usedSlot: nil, wrappingKeys: WrappingKeys())
    }

    /// The derivations of the slots, each once, newest first.
    private var derivations: [SlotDerivation] {
        slots.reversed().reduce(into: []) { found, slot in
            if !found.contains(slot.derivation) { found.append(slot.derivation) }
        }
    }

    private func check(_ dataKeys: DataKeys) throws {
        guard try dataKeys.isAuthentic(authentication, for: signedBytes) else {
            throw EnvelopeDefect.damaged("its authentication code does not fit its content")
        }
    }
}
