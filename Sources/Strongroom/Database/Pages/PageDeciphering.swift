import Foundation

/// Decrypts pages without the engine, to determine which object they belong to.
struct PageDeciphering: Sendable {
    private let layout: PageLayout
    private let key: SecretBytes

    /// - Parameters:
    ///   - derived: The key of the file's connections.
    ///   - settings: The cipher settings of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) {
        layout = settings.layout
        key = derived.withRawKey { raw, _ in SecretBytes(raw) }
    }

    /// Decrypts a page whose authentication code is valid.
    ///
    /// - Parameters:
    ///   - page: The complete page, from the file or the WAL.
    ///   - number: Its number, counted from 1.
    /// - Returns: The usable bytes; in the first page, the header in place of the salt.
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
