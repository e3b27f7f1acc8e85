/// Verifies the pages of one state before they are carried to a copy: a page that the disk has damaged must not become
/// the copy's newest version of it. Valid as long as the connection's transaction.
///
/// Not `Sendable`: its owner serializes the calls.
final class PageAudit {
    private let cipher: PageCipher
    private let connection: Connection
    private let log: PublishedLog
    /// The unused pages, of which some may never have been written and are holes in the file; nil before the first page
    /// of zeros.
    private var unused: PageSet?

    init(_ cipher: PageCipher, _ connection: Connection, _ log: PublishedLog) {
        (self.cipher, self.connection, self.log) = (cipher, connection, log)
    }

    /// - Throws: ``StrongroomError`` with `damaged` if the page's authentication code is not valid.
    func require(_ page: UnsafeRawBufferPointer, _ number: Int) throws {
        guard number != cipher.layout.lockBytePage, !cipher.authentication.isAuthentic(page, number: number),
            try !page.allSatisfy({ $0 == 0 }) || !isUnused(number)
        else { return }
        throw StrongroomError(
            .damaged,
            """
            The disk has damaged page \(number) of the file: its authentication code is wrong. Nothing of this state \
            is shipped, and the replica keeps the states before. Restore the newest one, or name what is damaged with \
            `verify` and recover the rest with `salvage`.
            """,
            database: connection.database)
    }

    private func isUnused(_ number: Int) throws -> Bool {
        if let unused { return unused.contains(number) }
        let pages = try DatabasePages(of: connection, pageSize: cipher.layout.pageSize, in: log)
        let leaves = try FreeList(PageContents(pages: pages, cipher: cipher)).leaves
        unused = leaves
        return leaves.contains(number)
    }
}
