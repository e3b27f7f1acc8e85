import Foundation

/// The keys that the database's file may be encrypted with: one, or two while it is being replaced, oldest first.
struct DataKeys: Sendable, Equatable {
    /// The bytes of all, one after the other.
    private let material: SecretBytes

    static let length = 32
    static let identifierLength = 16

    /// A random one.
    static func random() -> DataKeys { DataKeys(material: .random(count: length)) }

    init(material: SecretBytes) {
        self.material = material
    }

    /// All, from their bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        material = SecretBytes(bytes)
    }

    var count: Int { material.count / Self.length }

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

    /// What tells them from others, and nothing of them.
    var identifier: [UInt8] {
        made("strongroom envelope: identifier", Self.identifierLength).withUnsafeBytes { Array($0) }
    }

    /// The code that proves a content.
    func authentication(of content: [UInt8]) throws -> [UInt8] {
        try withAuthentication(of: content) { Array($0) }
    }

    /// Whether a code is the content's, compared in constant time.
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
