/// Verifies the authentication code of a page without the engine, which does not report damage in some pages.
///
/// The code covers the ciphertext, the initialisation vector and the page number: neither a modified page nor one at
/// another page's position is accepted ("SQLCipher Design", zetetic.net/sqlcipher/design).
struct PageAuthentication: Sendable {
    let layout: PageLayout
    private let authentication: MessageAuthentication

    /// XORed with the file's salt to derive the salt of the HMAC key.
    private static let saltMask: UInt8 = 0x3A
    private static let rounds = 2

    /// - Parameters:
    ///   - derived: The key of the file's connections.
    ///   - settings: The cipher settings of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) throws {
        layout = settings.layout
        let key = try derived.withRawKey { raw, salt in
            try Cryptography.pbkdf2(
                raw, salt: salt.map { $0 ^ Self.saltMask }, hash: settings.derivationHash, rounds: Self.rounds,
                count: Cryptography.keyLength)
        }
        authentication = try MessageAuthentication(key: key, hash: settings.pageHash)
    }

    /// Whether a page's authentication code is valid.
    ///
    /// - Parameters:
    ///   - page: The complete page, from the file or the WAL.
    ///   - number: Its number, counted from 1.
    func isAuthentic(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
        guard page.count == layout.pageSize, let pageNumber = UInt32(exactly: number) else { return false }
        let end = layout.usable + PageLayout.vectorLength
        let covered = UnsafeRawBufferPointer(rebasing: page[layout.start(of: number)..<end])
        let code = UnsafeRawBufferPointer(rebasing: page[end..<end + layout.codeLength])
        return withUnsafeBytes(of: pageNumber.littleEndian) { pageNumber in
            authentication.withCode(of: covered, pageNumber) { $0.elementsEqual(code) }
        }
    }

    /// Fills a page with zeros and their authentication code.
    func fill(_ page: UnsafeMutableRawBufferPointer, number: Int) {
        page.initializeMemory(as: UInt8.self, repeating: 0)
        guard page.count == layout.pageSize, let pageNumber = UInt32(exactly: number) else { return }
        let end = layout.usable + PageLayout.vectorLength
        let covered = UnsafeRawBufferPointer(rebasing: page[layout.start(of: number)..<end])
        withUnsafeBytes(of: pageNumber.littleEndian) { pageNumber in
            authentication.withCode(of: covered, pageNumber) {
                UnsafeMutableRawBufferPointer(rebasing: page[end..<end + layout.codeLength]).copyMemory(from: $0)
            }
        }
    }
}
