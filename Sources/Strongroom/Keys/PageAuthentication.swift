import Crypto
import CryptoExtras

/// Tells whether a page is as the engine wrote it, without the engine, which keeps silent about some damaged pages.
///
/// The code covers what is enciphered, the initialisation vector and the page's number, so that neither a changed page nor one that lies in
/// another's place counts («SQLCipher Design», zetetic.net/sqlcipher/design).
struct PageAuthentication: Sendable {
    let layout: PageLayout
    private let key: SymmetricKey
    private let hash: CipherSettings.Hash

    /// What the salt is mixed with to become that of the codes' key.
    private static let saltMask: UInt8 = 0x3A
    private static let rounds = 2
    private static let keyLength = 32

    /// - Parameters:
    ///   - derived: What the file's connections are keyed with.
    ///   - settings: Those of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) throws {
        layout = settings.layout
        hash = settings.pageHash
        key = try derived.withRawKey { raw, salt in
            try KDF.Insecure.PBKDF2.deriveKey(
                from: raw,
                salt: salt.map { $0 ^ Self.saltMask },
                using: settings.derivationHash.function,
                outputByteCount: Self.keyLength,
                unsafeUncheckedRounds: Self.rounds
            )
        }
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
        return switch hash {
        case .sha1: isCode(code, of: covered, place, Insecure.SHA1.self)
        case .sha256: isCode(code, of: covered, place, SHA256.self)
        case .sha512: isCode(code, of: covered, place, SHA512.self)
        }
    }

    private func isCode<H: HashFunction>(
        _ code: UnsafeRawBufferPointer, of covered: UnsafeRawBufferPointer, _ number: UInt32, _: H.Type
    ) -> Bool {
        var authentication = HMAC<H>(key: key)
        authentication.update(data: covered)
        withUnsafeBytes(of: number.littleEndian) { authentication.update(data: $0) }
        return authentication.finalize().withUnsafeBytes { $0.elementsEqual(code) }
    }
}
