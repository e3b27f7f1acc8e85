/// What opens a file's pages one by one: the check of their authentication codes, and their content.
struct PageCipher: Sendable {
    let authentication: PageAuthentication
    let deciphering: PageDeciphering

    var layout: PageLayout { authentication.layout }

    /// - Parameters:
    ///   - derived: What the file's connections are keyed with.
    ///   - settings: Those of the file.
    init(_ derived: DerivedKey, settings: CipherSettings) throws {
        authentication = try PageAuthentication(derived, settings: settings)
        deciphering = PageDeciphering(derived, settings: settings)
    }
}

/// The contents of a database's pages.
struct PageContents {
    let pages: DatabasePages
    let cipher: PageCipher

    /// The usable bytes of a page; nil when it is damaged, or the database has no such page.
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
