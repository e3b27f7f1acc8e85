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

    /// The page size, in bytes.
    let pageSize: Int
    /// The length of the authentication code, in bytes.
    let codeLength: Int

    /// The number of reserved bytes at the end of a page.
    var reserve: Int {
        (Self.vectorLength + codeLength + Self.cipherBlock - 1) / Self.cipherBlock * Self.cipherBlock
    }

    /// The number of content bytes, including the salt in the first page.
    var usable: Int { pageSize - reserve }

    /// The lock-byte page, counted from 1; in a file of 1 GiB or more it is a hole.
    var lockBytePage: Int { Self.lockBytePage(pageSize: pageSize) }

    /// The lock-byte page of a database with a page size.
    static func lockBytePage(pageSize: Int) -> Int { lockByte / pageSize + 1 }

    /// The offset of the ciphertext in a page: the first page starts with the file's salt.
    func start(of number: Int) -> Int { number == 1 ? CipherSettings.saltLength : 0 }
}

extension CipherSettings {
    /// The layout of the file's pages.
    var layout: PageLayout { PageLayout(pageSize: pageSize, codeLength: pageHash.length) }
}

extension CipherSettings.Hash {
    /// The length in bytes.
    var length: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}
