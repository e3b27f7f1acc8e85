import Crypto
import CryptoExtras
import Foundation
import Synchronization

/// What a connection is keyed with: the raw key and the file's salt, in the engine's own form `x'…'`.
///
/// Derived once for each open; every connection of the store gets it without another derivation.
struct DerivedKey: Sendable {
    private let specification: SymmetricKey
    /// How the file is encrypted with it.
    let settings: CipherSettings

    /// How often this process has derived a key from a passphrase: once an open, which takes most of its time.
    static let derivations = Atomic<Int>(0)

    /// Derives the key for a file.
    ///
    /// - Parameters:
    ///   - key: A key of the chain.
    ///   - salt: The file's first 16 bytes.
    ///   - settings: How a passphrase becomes a raw key.
    init(_ key: Key, salt: [UInt8], settings: CipherSettings) throws {
        self.settings = settings
        switch key.material {
        case .passphrase(let passphrase), .truncated(let passphrase):
            Self.derivations.add(1, ordering: .relaxed)
            let raw = try passphrase.withUnsafeBytes { bytes in
                try KDF.Insecure.PBKDF2.deriveKey(
                    from: bytes,
                    salt: salt,
                    using: settings.derivationHash.function,
                    outputByteCount: 32,
                    unsafeUncheckedRounds: settings.iterations
                )
            }
            specification = Self.specification(raw, salt)
        case .raw(let raw, _):
            specification = Self.specification(raw, salt)
        case .plaintext:
            throw StrongroomError(.invalidKey, "`Key.plaintext` encrypts nothing.")
        case .invalid(let reason):
            throw StrongroomError(.invalidKey, "The key cannot be used: \(reason).")
        }
    }

    /// Lends the bytes that the engine's keying functions take.
    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
        try specification.withUnsafeBytes(body)
    }

    private static func specification(_ raw: SymmetricKey, _ salt: [UInt8]) -> SymmetricKey {
        let length = 2 * (raw.bitCount / 8 + salt.count) + 3
        return withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { text in
            defer { text.wipe() }
            var end = 0
            func append(_ byte: UInt8) {
                text[end] = byte
                end += 1
            }
            func appendHex(_ byte: UInt8) {
                for digit in [byte >> 4, byte & 0xF] { append(digit + (digit < 10 ? 0x30 : 0x57)) }
            }
            append(UInt8(ascii: "x"))
            append(UInt8(ascii: "'"))
            raw.withUnsafeBytes { for byte in $0 { appendHex(byte) } }
            for byte in salt { appendHex(byte) }
            append(UInt8(ascii: "'"))
            return SymmetricKey(data: UnsafeRawBufferPointer(text))
        }
    }
}

extension CipherSettings.Hash {
    fileprivate var function: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha1: .insecureSHA1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
