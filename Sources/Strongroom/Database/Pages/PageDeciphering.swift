import Foundation

/// Deciphers pages without the engine, to tell what they belong to.
struct PageDeciphering: Sendable {
    private let layout: PageLayout
    private let key: SecretBytes

    private static let header = Array("SQLite format 3\0".utf8)

    /// - Parameters:
    ///   - derived: What the file's connections are keyed with.
    ///   - settings: Those of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) {
        layout = settings.layout
        key = derived.withRawKey { raw, _ in SecretBytes(raw) }
    }

    /// The content of a page whose authentication code is right.
    ///
    /// - Parameters:
    ///   - page: The page as it lies in the file or in the log, all of it.
    ///   - number: Its number, counted from 1.
    /// - Returns: The usable bytes; the first page with the header in the salt's place.
    func content(of page: UnsafeRawBufferPointer, number: Int) throws -> WipedBytes {
        let start = layout.start(of: number)
        let vector = page[layout.usable..<layout.usable + PageLayout.vectorLength]
        // The header takes the salt's place.
        return try WipedBytes(count: layout.usable) { content in
            if start > 0 { content.copyBytes(from: Self.header) }
            try Cryptography.decrypt(
                UnsafeRawBufferPointer(rebasing: page[start..<layout.usable]), with: key,
                vector: UnsafeRawBufferPointer(rebasing: vector),
                to: UnsafeMutableRawBufferPointer(rebasing: content[start..<layout.usable]))
        }
    }
}
