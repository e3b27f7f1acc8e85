import Crypto
import Foundation

/// The keys that the database's file may be encrypted with: one, or two while it is being replaced, oldest first.
struct DataKeys: Sendable, Equatable {
    /// The bytes of all, one after the other.
    private let material: SymmetricKey

    static let length = 32
    static let identifierLength = 16

    /// A random one.
    static func random() -> DataKeys { DataKeys(material: SymmetricKey(size: .bits256)) }

    private init(material: SymmetricKey) {
        self.material = material
    }

    /// All, from their bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        material = SymmetricKey(data: bytes)
    }

    var count: Int { material.bitCount / 8 / Self.length }

    /// The keys, oldest first, as the file's keys: raw ones with the file's salt.
    func fileKeys(salt: [UInt8]) -> [Key] { each.map { Key(material: .raw($0.material, salt: salt)) } }

    /// Each alone, oldest first.
    var each: [DataKeys] {
        material.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.length).map { start in
                DataKeys(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.length]))
            }
        }
    }

    /// The newest one and a random one after it.
    func withSuccessor() -> DataKeys {
        guard let newest = each.last else { return self }
        let successor = DataKeys.random()
        return withUnsafeTemporaryAllocation(byteCount: 2 * Self.length, alignment: 1) { both in
            defer { both.wipe() }
            newest.withUnsafeBytes { both.copyMemory(from: $0) }
            successor.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: both[Self.length...]).copyMemory(from: $0)
            }
            return DataKeys(UnsafeRawBufferPointer(both))
        }
    }

    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try material.withUnsafeBytes(body)
    }

    /// What tells them from others, and nothing of them.
    var identifier: [UInt8] {
        made("strongroom envelope: identifier", Self.identifierLength).withUnsafeBytes { Array($0) }
    }

    /// The code that proves a content.
    func authentication(of content: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: content, using: authenticationKey))
    }

    /// Whether a code is the content's, compared in constant time.
    func isAuthentic(_ code: [UInt8], for content: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: authenticationKey)
    }

    private var authenticationKey: SymmetricKey { made("strongroom envelope: authentication", 32) }

    private func made(_ purpose: String, _ length: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: material, info: Array(purpose.utf8), outputByteCount: length)
    }
}

extension DataKeys: CustomStringConvertible, CustomReflectable {
    var description: String { "DataKeys(\(count))" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
