import Foundation
import Synchronization

/// The key material of a connection: the raw key and the file's salt, in the engine's own form `x'…'`.
///
/// Derived once for each open; all connections of the store share it without another derivation.
struct DerivedKey: Sendable {
    private let specification: SecretBytes
    /// The cipher settings that it belongs to.
    let settings: CipherSettings

    /// The number of derivations from a passphrase in this process: one for each open, which takes most of its time.
    static let derivations = Atomic<Int>(0)

    /// Derives the key for a file.
    ///
    /// - Parameters:
    ///   - key: A key of the chain.
    ///   - salt: The file's first 16 bytes.
    ///   - settings: How a raw key is derived from a passphrase.
    init(_ key: Key, salt: [UInt8], settings: CipherSettings) throws {
        self.settings = settings
        switch key.material {
        case .passphrase(let passphrase), .truncated(let passphrase):
            Self.derivations.add(1, ordering: .relaxed)
            let raw = try passphrase.withUnsafeBytes { bytes in
                try Cryptography.pbkdf2(
                    bytes, salt: salt, hash: settings.derivationHash, rounds: settings.iterations,
                    count: Cryptography.keyLength)
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

    /// Whether it is the same key of a file with the same salt, compared in constant time.
    func isEqual(to other: DerivedKey) throws -> Bool {
        try withUnsafeBytes { own in try other.withUnsafeBytes { Cryptography.isEqual(own, $0) } }
    }

    /// Lends the bytes that the engine's keying functions take.
    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
        try specification.withUnsafeBytes(body)
    }

    /// Lends the raw key's 32 bytes, which are wiped afterwards, and the salt.
    func withRawKey<T>(_ body: (UnsafeRawBufferPointer, _ salt: [UInt8]) throws -> T) rethrows -> T {
        try specification.withUnsafeBytes { text in
            // Between x' and '.
            let digits = text[2..<text.count - 1]
            func byte(_ index: Int) -> UInt8 {
                func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
                let start = digits.startIndex + 2 * index
                return value(digits[start]) << 4 | value(digits[start + 1])
            }
            let rawLength = digits.count / 2 - CipherSettings.saltLength
            return try withUnsafeTemporaryAllocation(byteCount: rawLength, alignment: 1) { raw in
                defer { raw.wipe() }
                for index in 0..<rawLength { raw[index] = byte(index) }
                let salt = (0..<CipherSettings.saltLength).map { byte(rawLength + $0) }
                return try body(UnsafeRawBufferPointer(raw), salt)
            }
        }
    }

    private static func specification(_ raw: SecretBytes, _ salt: [UInt8]) -> SecretBytes {
        let length = 2 * (raw.count + salt.count) + 3
        return SecretBytes(count: length) { text in
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
        }
    }
}
