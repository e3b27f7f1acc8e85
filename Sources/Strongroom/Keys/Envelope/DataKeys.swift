import Foundation

/// The keys with which the database's file may be encrypted: one, or two while it is being replaced, oldest first.
struct DataKeys: Sendable, Equatable {
    /// The concatenated bytes of all keys.
    private let material: SecretBytes

    static let length = 32
    static let identifierLength = 16

    /// One random key.
    static func random() -> DataKeys { DataKeys(material: .random(count: length)) }

    init(material: SecretBytes) {
        self.material = material
    }

    /// Keys from their concatenated bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        material = SecretBytes(bytes)
    }

    var count: Int { material.count / Self.length }

    /// The keys, oldest first, as keys of the file: raw ones with the file's salt.
    func fileKeys(salt: [UInt8]) -> [Key] { each.map { Key(material: .raw($0.material, salt: salt)) } }

    /// Each key by itself, oldest first.
    var each: [DataKeys] {
        material.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.length).map { start in
                DataKeys(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.length]))
            }
        }
    }

    /// The newest key, followed by a random one.
    func withSuccessor() -> DataKeys {
        guard let newest = each.last else { return self }
        let successor = DataKeys.random()
        let both = SecretBytes(count: 2 * Self.length) { both in
            newest.withUnsafeBytes { both.copyMemory(from: $0) }
            successor.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: both[Self.length...]).copyMemory(from: $0)
            }
        }
        return DataKeys(material: both)
    }

    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try material.withUnsafeBytes(body)
    }

    /// Identifies the keys without revealing them.
    var identifier: [UInt8] {
        made("strongroom envelope: identifier", Self.identifierLength).withUnsafeBytes { Array($0) }
    }

    /// The authentication code of a content.
    func authentication(of content: [UInt8]) throws -> [UInt8] {
        try withAuthentication(of: content) { Array($0) }
    }

    /// Whether a code belongs to the content, compared in constant time.
    func isAuthentic(_ code: [UInt8], for content: [UInt8]) throws -> Bool {
        try withAuthentication(of: content) { right in code.withUnsafeBytes { Cryptography.isEqual(right, $0) } }
    }

    private func withAuthentication<T>(of content: [UInt8], _ body: (UnsafeRawBufferPointer) -> T) throws -> T {
        let key = made("strongroom envelope: authentication", Cryptography.keyLength)
        let authentication = try MessageAuthentication(key: key, hash: .sha256)
        return content.withUnsafeBytes { authentication.withCode(of: $0, body: body) }
    }

    private func made(_ purpose: String, _ length: Int) -> SecretBytes {
        Cryptography.expand(material, purpose, count: length)
    }
}

extension DataKeys: CustomStringConvertible, CustomReflectable {
    var description: String { "DataKeys(\(count))" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
