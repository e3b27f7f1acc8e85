/// The contents of a database's pages.
struct PageContents {
    let pages: DatabasePages
    let cipher: PageCipher

    /// The usable bytes of a page; nil if it is damaged or does not exist.
    func content(of number: Int) throws -> WipedBytes? {
        guard number >= 1, number <= pages.count else { return nil }
        return try withUnsafeTemporaryAllocation(byteCount: pages.pageSize, alignment: 16) { buffer in
            guard try pages.read(number, into: buffer) else { return nil }
            let page = UnsafeRawBufferPointer(buffer)
            guard cipher.isAuthentic(page, number: number) else { return nil }
            return try cipher.content(of: page, number: number)
        }
    }
}

/// The layout of a page in an encrypted file: the content, then the reserved bytes.
///
/// The reserved bytes begin with the initialisation vector, followed by the authentication code; the rest is padding
/// that is not authenticated ("SQLCipher Design", zetetic.net/sqlcipher/design).
struct PageLayout: Sendable, Equatable {
    /// The length of the initialisation vector, in bytes.
    static let vectorLength = 16
    private static let cipherBlock = 16
    /// The lock byte; the engine never uses the page that contains it.
    private static let lockByte = 0x4000_0000

    let pageSize: Int
    let codeLength: Int

    /// The number of reserved bytes at the end of a page.
    var reserve: Int {
        (Self.vectorLength + codeLength + Self.cipherBlock - 1) / Self.cipherBlock * Self.cipherBlock
    }

    /// The number of content bytes, including the salt in the first page.
    var usable: Int { pageSize - reserve }

    /// The lock-byte page, counted from 1; in a file of 1 GiB or more it is a hole.
    var lockBytePage: Int { Self.lockBytePage(pageSize: pageSize) }

    static func lockBytePage(pageSize: Int) -> Int { lockByte / pageSize + 1 }

    /// The offset of the ciphertext in a page: the first page starts with the file's salt.
    func start(of number: Int) -> Int { number == 1 ? CipherSettings.saltLength : 0 }
}

extension CipherSettings {
    var layout: PageLayout { PageLayout(pageSize: pageSize, codeLength: pageHash.length) }
}

extension CipherSettings.Hash {
    var length: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}

/// Authenticates and decrypts single pages of a file without the engine, which does not report damage in some pages.
///
/// The authentication code covers the ciphertext, the initialisation vector and the page number: neither a modified
/// page nor one at another page's position is accepted ("SQLCipher Design", zetetic.net/sqlcipher/design).
struct PageCipher: Sendable {
    let layout: PageLayout
    private let authentication: MessageAuthentication
    private let key: SecretBytes

    /// XORed with the file's salt to derive the salt of the HMAC key.
    private static let saltMask: UInt8 = 0x3A
    private static let rounds = 2

    /// - Parameter derived: The key of the file's connections.
    init(_ derived: DerivedKey) throws {
        let settings = derived.settings
        layout = settings.layout
        key = derived.raw
        let codeKey = try key.withUnsafeBytes { raw in
            try Cryptography.pbkdf2(
                raw, salt: derived.salt.map { $0 ^ Self.saltMask }, hash: settings.derivationHash,
                rounds: Self.rounds, count: Cryptography.keyLength)
        }
        authentication = try MessageAuthentication(key: codeKey, hash: settings.pageHash)
    }

    /// Whether the authentication code of a complete page is valid; pages are counted from 1.
    func isAuthentic(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
        guard page.count == layout.pageSize, let pageNumber = UInt32(exactly: number) else { return false }
        let code = UnsafeRawBufferPointer(rebasing: page[codeRange])
        return withCode(of: page, number, pageNumber) { $0.elementsEqual(code) }
    }

    /// Fills a page with zeros and their authentication code.
    func fill(_ page: UnsafeMutableRawBufferPointer, number: Int) {
        page.initializeMemory(as: UInt8.self, repeating: 0)
        guard page.count == layout.pageSize, let pageNumber = UInt32(exactly: number) else { return }
        withCode(of: UnsafeRawBufferPointer(page), number, pageNumber) {
            UnsafeMutableRawBufferPointer(rebasing: page[codeRange]).copyMemory(from: $0)
        }
    }

    private var codeRange: Range<Int> {
        let start = layout.usable + PageLayout.vectorLength
        return start..<start + layout.codeLength
    }

    private func withCode<T>(
        of page: UnsafeRawBufferPointer, _ number: Int, _ pageNumber: UInt32, _ body: (UnsafeRawBufferPointer) -> T
    ) -> T {
        let covered = UnsafeRawBufferPointer(rebasing: page[layout.start(of: number)..<codeRange.lowerBound])
        return withUnsafeBytes(of: pageNumber.littleEndian) { pageNumber in
            authentication.withCode(of: covered, pageNumber, body: body)
        }
    }

    /// Decrypts a page whose authentication code is valid.
    ///
    /// - Returns: The usable bytes; in the first page, the header instead of the salt.
    func content(of page: UnsafeRawBufferPointer, number: Int) throws -> WipedBytes {
        try WipedBytes(count: layout.usable) { try decipher(page, number: number, into: $0) }
    }

    /// Decrypts a page whose authentication code is valid, into memory of ``PageLayout/usable`` bytes.
    func decipher(
        _ page: UnsafeRawBufferPointer, number: Int, into content: UnsafeMutableRawBufferPointer
    ) throws {
        let start = layout.start(of: number)
        let vector = page[layout.usable..<layout.usable + PageLayout.vectorLength]
        // The header replaces the salt.
        if start > 0 { content.copyBytes(from: FileSystem.plaintextHeader) }
        try Cryptography.decrypt(
            UnsafeRawBufferPointer(rebasing: page[start..<layout.usable]), with: key,
            vector: UnsafeRawBufferPointer(rebasing: vector),
            to: UnsafeMutableRawBufferPointer(rebasing: content[start..<layout.usable]))
    }
}
