/// Tells whether a page is as the engine wrote it, without the engine, which keeps silent about some damaged pages.
///
/// The code covers what is enciphered, the initialisation vector and the page's number, so that neither a changed page
/// nor one that lies in another's place counts ("SQLCipher Design", zetetic.net/sqlcipher/design).
struct PageAuthentication: Sendable {
    let layout: PageLayout
    private let authentication: MessageAuthentication

    /// What the salt is mixed with to become that of the codes' key.
    private static let saltMask: UInt8 = 0x3A
    private static let rounds = 2

    /// - Parameters:
    ///   - derived: What the file's connections are keyed with.
    ///   - settings: Those of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) throws {
        layout = settings.layout
        let key = try derived.withRawKey { raw, salt in
            try Cryptography.pbkdf2(
                raw, salt: salt.map { $0 ^ Self.saltMask }, hash: settings.derivationHash, rounds: Self.rounds,
                count: Cryptography.keyLength)
        }
        authentication = try MessageAuthentication(key: key, hash: settings.pageHash)
    }

    /// Whether a page's authentication code is right.
    ///
    /// - Parameters:
    ///   - page: The page as it lies in the file or in the log, all of it.
    ///   - number: Its number, counted from 1.
    func isAuthentic(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
        guard page.count == layout.pageSize, let place = UInt32(exactly: number) else { return false }
        let end = layout.usable + PageLayout.vectorLength
        let covered = UnsafeRawBufferPointer(rebasing: page[layout.start(of: number)..<end])
        let code = UnsafeRawBufferPointer(rebasing: page[end..<end + layout.codeLength])
        return withUnsafeBytes(of: place.littleEndian) { place in
            authentication.withCode(of: covered, place) { $0.elementsEqual(code) }
        }
    }
}
