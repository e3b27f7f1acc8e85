import Crypto
import CryptoExtras
import Foundation

/// Deciphers pages without the engine, to tell what they belong to.
struct PageDeciphering: Sendable {
    private let layout: PageLayout
    private let key: SymmetricKey

    private static let header = Array("SQLite format 3\0".utf8)

    /// - Parameters:
    ///   - derived: What the file's connections are keyed with.
    ///   - settings: Those of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) {
        layout = settings.layout
        key = derived.withRawKey { raw, _ in SymmetricKey(data: raw) }
    }

    /// The content of a page whose authentication code is right.
    ///
    /// - Parameters:
    ///   - page: The page as it lies in the file or in the log, all of it.
    ///   - number: Its number, counted from 1.
    /// - Returns: The usable bytes; the first page with the header in the salt's place.
    func content(of page: UnsafeRawBufferPointer, number: Int) throws -> [UInt8] {
        let start = layout.start(of: number)
        let vector = page[layout.usable..<layout.usable + PageLayout.vectorLength]
        var plain = try AES._CBC.decrypt(
            UnsafeRawBufferPointer(rebasing: page[start..<layout.usable]),
            using: key,
            iv: AES._CBC.IV(ivBytes: Array(vector)),
            noPadding: true
        )
        defer { plain.withUnsafeMutableBytes { $0.wipe() } }
        return start == 0 ? Array(plain) : Self.header + plain
    }
}
