@testable import Strongroom

/// A database in memory whose pages have any content, encrypted as SQLCipher 3 does it: what the key's owner could have
/// written, and an engine could have damaged before it encrypted.
struct EncryptedFile {
    static let settings = CipherSettings(pageSize: 1_024, iterations: 1, derivationHash: .sha1, pageHash: .sha1)
    /// The bytes of a page that have content.
    static let usable = settings.layout.usable

    private static let key = DerivedKeys.key
    private(set) var bytes: [UInt8] = []
    let cipher: PageCipher
    private let authentication: MessageAuthentication

    init() throws {
        cipher = try PageCipher(Self.key)
        // As PageCipher derives it.
        let secret = try Self.key.raw.withUnsafeBytes { raw in
            try Cryptography.pbkdf2(
                raw, salt: Self.key.salt.map { $0 ^ 0x3A }, hash: .sha1, rounds: 2, count: Cryptography.keyLength)
        }
        authentication = try MessageAuthentication(key: secret, hash: .sha1)
    }

    /// Adds a page; content that is too short is followed by zeros.
    mutating func append(_ content: [UInt8], isAuthentic: Bool = true) {
        let layout = cipher.layout
        let number = bytes.count / layout.pageSize + 1
        let start = layout.start(of: number)
        let plain = content.prefix(layout.usable) + [UInt8](repeating: 0, count: max(0, layout.usable - content.count))
        var page = [UInt8](repeating: 0, count: layout.pageSize)
        let encrypted = BlockCipher.encrypt(Array(plain.dropFirst(start)), Self.key.raw)
        page.replaceSubrange(start..<layout.usable, with: encrypted)
        let code = page[start..<layout.usable + PageLayout.vectorLength].withUnsafeBytes { covered in
            withUnsafeBytes(of: UInt32(number).littleEndian) { number in
                authentication.withCode(of: covered, number) { Array($0) }
            }
        }
        let codeStart = layout.usable + PageLayout.vectorLength
        page.replaceSubrange(codeStart..<codeStart + code.count, with: code)
        if !isAuthentic { page[codeStart] ^= 1 }
        bytes += page
    }
}

private enum DerivedKeys {
    static let key: DerivedKey = {
        let raw = Key.raw([UInt8](repeating: 7, count: Cryptography.keyLength))
        guard let key = try? DerivedKey(raw, salt: [UInt8](repeating: 8, count: 16), settings: EncryptedFile.settings)
        else { fatalError("a raw key needs no derivation") }
        return key
    }()
}

/// AES-256-CBC of libcrypto, which the library uses to decrypt only.
private enum BlockCipher {
    static func encrypt(_ plain: [UInt8], _ key: SecretBytes) -> [UInt8] {
        var encrypted = [UInt8](repeating: 0, count: plain.count + 16)
        var count: Int32 = 0
        let context = newContext()
        defer { free(context) }
        let vector = [UInt8](repeating: 0, count: 16)
        let isDone = key.withUnsafeBytes { key in
            begin(context, algorithm(), nil, key.baseAddress, vector) == 1 && setPadding(context, 0) == 1
                && update(context, &encrypted, &count, plain, Int32(plain.count)) == 1
        }
        guard isDone, count == plain.count else { fatalError("libcrypto cannot encrypt") }
        return Array(encrypted.prefix(plain.count))
    }

    @_silgen_name("EVP_CIPHER_CTX_new") private static func newContext() -> OpaquePointer?
    @_silgen_name("EVP_CIPHER_CTX_free") private static func free(_ context: OpaquePointer?)
    @_silgen_name("EVP_aes_256_cbc") private static func algorithm() -> OpaquePointer?
    @_silgen_name("EVP_EncryptInit_ex")
    private static func begin(
        _ context: OpaquePointer?, _ algorithm: OpaquePointer?, _ engine: OpaquePointer?, _ key: UnsafeRawPointer?,
        _ vector: UnsafePointer<UInt8>
    ) -> Int32
    @_silgen_name("EVP_CIPHER_CTX_set_padding")
    private static func setPadding(_ context: OpaquePointer?, _ padding: Int32) -> Int32
    @_silgen_name("EVP_EncryptUpdate")
    private static func update(
        _ context: OpaquePointer?, _ encrypted: UnsafeMutablePointer<UInt8>, _ count: UnsafeMutablePointer<Int32>,
        _ plain: UnsafePointer<UInt8>, _ length: Int32
    ) -> Int32
}
