/// Authenticates and decrypts single pages of a file.
struct PageCipher: Sendable {
    let authentication: PageAuthentication
    let deciphering: PageDeciphering

    var layout: PageLayout { authentication.layout }

    /// - Parameters:
    ///   - derived: The key of the file's connections.
    ///   - settings: The cipher settings of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) throws {
        authentication = try PageAuthentication(derived, settings: settings)
        deciphering = PageDeciphering(derived, settings: settings)
    }
}

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
            guard cipher.authentication.isAuthentic(page, number: number) else { return nil }
            return try cipher.deciphering.content(of: page, number: number)
        }
    }
}
