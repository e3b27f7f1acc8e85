/// How a page of an encrypted file is laid out: its content, then what the engine keeps for itself.
///
/// The reserve at the page's end begins with the initialisation vector, which the authentication code follows; the rest
/// is padding that nothing protects ("SQLCipher Design", zetetic.net/sqlcipher/design).
struct PageLayout: Sendable, Equatable {
    /// Bytes of the initialisation vector.
    static let vectorLength = 16
    private static let cipherBlock = 16
    /// The byte at whose place the operating system's locks lie; the engine never uses the page that it is in.
    private static let lockByte = 0x4000_0000

    /// Bytes of a page.
    let pageSize: Int
    /// Bytes of the authentication code.
    let codeLength: Int

    /// Bytes at a page's end that are not content.
    var reserve: Int {
        (Self.vectorLength + codeLength + Self.cipherBlock - 1) / Self.cipherBlock * Self.cipherBlock
    }

    /// Bytes of content, the salt in the first page's place of a header included.
    var usable: Int { pageSize - reserve }

    /// The page that the engine never writes, counted from 1; a file of 1 GiB or more has a hole there.
    var lockBytePage: Int { Self.lockByte / pageSize + 1 }

    /// Where in a page what is enciphered begins: the first one starts with the file's salt.
    func start(of number: Int) -> Int { number == 1 ? CipherSettings.saltLength : 0 }
}

extension CipherSettings {
    /// The layout of the file's pages.
    var layout: PageLayout { PageLayout(pageSize: pageSize, codeLength: pageHash.length) }
}

extension CipherSettings.Hash {
    /// Bytes.
    var length: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}
