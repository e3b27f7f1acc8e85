/// The wrapped data key of a database, as stored in a sidecar: parsed, but not yet opened with a key.
///
/// The database file is encrypted with a random data key. The keys of a chain only wrap it, each in its own slot. The
/// content is not trusted before ``open(with:)`` has authenticated it: any user who can write to the directory can
/// change a sidecar.
///
/// ## Format, version 1
///
/// Numbers are big-endian. The fixed part:
///
/// | from | bytes | content |
/// |---|---|---|
/// | 0 | 8 | magic: `STRGKEYS` |
/// | 8 | 2 | version: 1 |
/// | 10 | 16 | salt of the database, the first bytes of its file, which identify it |
/// | 26 | 16 | identifier of the data keys, derived from them by HKDF |
/// | 42 | 1 | number of data keys: 1, or 2 while the data key itself is being replaced, oldest first |
/// | 43 | 8 | generation: the number of the change that wrote the envelope, from 1 on |
/// | 51 | 1 | number of slots: 1 to 64 |
///
/// Then the slots, oldest first, each of *n* bytes of label and *d* data keys:
///
/// | from | bytes | content |
/// |---|---|---|
/// | 0 | 8 | fingerprint of the slot's key |
/// | 8 | 8 | creation date of the slot, in seconds since 1970, signed |
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
/// The derivation's 32 bytes yield two keys by HKDF: one encrypts the data keys, the other is the fingerprint, so that
/// testing a guess against the fingerprint costs the whole derivation. The tag also covers the fixed part up to the
/// generation, and the slot up to the nonce.
///
/// At the end:
///
/// | from the end | bytes | content |
/// |---|---|---|
/// | 64 | 32 | HMAC-SHA256 of all before it, keyed from the data keys by HKDF, to detect a change of any slot |
/// | 32 | 32 | SHA-256 of all before it: distinguishes damage from a missing key, before any derivation |
///
/// Every later version keeps the first 10 bytes and the last 32 in this form, so that this version can tell it from
/// damage.
struct Envelope: Sendable, Equatable {
    /// The first 16 bytes of the database's file.
    let databaseSalt: [UInt8]
    /// Identifies the data keys.
    var dataKeyIdentifier: [UInt8]
    /// The number of data keys that each slot wraps: 1 or 2.
    var dataKeyCount: Int
    /// Increases with each change.
    var generation: UInt64
    /// The slots, oldest first.
    var slots: [EnvelopeSlot]
    /// The authentication code of the content.
    var authentication: [UInt8]

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
    /// - Returns: The open envelope, which can be read and changed.
    /// - Throws: ``EnvelopeDefect`` with `noKeyFits` or `damaged`, or ``StrongroomError`` with `outOfMemory`.
    func open(with chain: KeyChain) throws -> OpenEnvelope {
        var wrappingKeys = WrappingKeys()
        return try open(with: chain, &wrappingKeys)
    }

    /// As ``open(with:)``, with a cache of derived keys.
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

    /// Opens the envelope with the data keys themselves, as an open store keeps them; derives nothing.
    ///
    /// - Throws: ``EnvelopeDefect`` with `noKeyFits` if its data keys differ, or `damaged`.
    func open(with dataKeys: DataKeys) throws -> OpenEnvelope {
        guard dataKeys.identifier == dataKeyIdentifier else { throw EnvelopeDefect.noKeyFits }
        try check(dataKeys)
        return OpenEnvelope(self, dataKeys: dataKeys, position: nil, usedSlot: nil, wrappingKeys: WrappingKeys())
    }

    /// The distinct derivations of the slots, newest first.
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
