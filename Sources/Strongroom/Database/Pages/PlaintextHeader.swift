/// Distinguishes a plaintext database from one that is encrypted after a plaintext header.
///
/// SQLCipher 4 leaves the first bytes of a file in plaintext if `PRAGMA cipher_plaintext_header_size` is set, to a
/// multiple of 16 and usually to 32; the salt is then stored outside the file ("SQLCipher API",
/// zetetic.net/sqlcipher/sqlcipher-api). Everything after the header is ciphertext, also in the first page. A file is a
/// plaintext database unless its pages have room for initialisation vectors, and none of the first ones is as SQLite
/// writes it ("Database File Format", sqlite.org/fileformat.html).
struct PlaintextHeader {
    /// The bytes of a page.
    private let page: Int
    /// The number of reserved bytes at the end of a page.
    private let reserve: Int
    /// The last page that is checked.
    private static let lastPage = 17

    /// Whether ciphertext follows the header of a file that begins like a plaintext database.
    ///
    /// - Parameter read: Reads bytes of the file at an offset; returns fewer at the end of the file.
    static func isFollowedByCiphertext(
        _ size: Int64, _ read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
    ) throws -> Bool {
        let header = try read(0, DatabaseHeader.length)
        guard header.count == DatabaseHeader.length else { return false }
        // With a header of 16 bytes the sizes are ciphertext, too; a plaintext database with invalid sizes is damaged.
        // The bytes that are reserved for expansion are 0 in every database.
        guard let sizes = PlaintextHeader(header) else { return header[72..<92].contains { $0 != 0 } }
        guard sizes.reserve >= PageLayout.vectorLength else { return false }
        let first = try read(0, sizes.page)
        guard first.count == sizes.page else { return false }
        let content = WipedBytes(copying: first.prefix(sizes.usable))
        guard let tree = TreePage(content, isFirst: true), tree.isTable, tree.isConsistent else {
            return sizes.hasVector(first)
        }
        var found = false
        for number in 2...lastPage where Int64(number) * Int64(sizes.page) <= size {
            let page = try read(Int64(number - 1) * Int64(sizes.page), sizes.page)
            // One that is zeros may be in a WAL.
            guard page.count == sizes.page, page.contains(where: { $0 != 0 }) else { continue }
            if sizes.isTree(page) || sizes.isFreeTrunk(page) { return false }
            found = found || sizes.hasVector(page)
        }
        if found { return true }
        // The only page: without a schema, most of it is zeros. Ciphertext has no run of them.
        return tree.cellCount == 0 && sizes.hasVector(first)
            && !content[DatabaseHeader.length + 8..<content.count].hasZeros(4)
    }

    private var usable: Int { page - reserve }

    /// The sizes in bytes 16 to 23 of the header; nil for sizes that SQLite never writes.
    private init?(_ header: [UInt8]) {
        let stored = header.shortInteger(at: 16) ?? 0
        page = stored == 1 ? 65_536 : stored
        reserve = Int(header[20])
        guard page.nonzeroBitCount == 1, page >= 512, page - reserve >= 480,
            header[21] == 64, header[22] == 32, header[23] == 32
        else { return nil }
    }

    private func isTree(_ page: [UInt8]) -> Bool {
        TreePage(WipedBytes(copying: page.prefix(usable)), isFirst: false)?.isConsistent == true
    }

    private func isFreeTrunk(_ page: [UInt8]) -> Bool { page.integer(at: 4).map { $0 <= usable / 4 - 2 } ?? false }

    /// Whether a page has what may be an initialisation vector, which is random, in its reserved bytes.
    private func hasVector(_ page: [UInt8]) -> Bool {
        page[usable..<usable + PageLayout.vectorLength].contains { $0 != 0 }
    }
}

extension Sequence<UInt8> {
    /// Whether there is a run of that many zero bytes.
    fileprivate func hasZeros(_ count: Int) -> Bool {
        var length = 0
        for byte in self {
            length = byte == 0 ? length + 1 : 0
            if length == count { return true }
        }
        return false
    }
}

extension StrongroomError {
    /// The error for a file that is encrypted after a plaintext header.
    static func plaintextHeader(_ path: String) -> StrongroomError {
        StrongroomError(
            .plaintextHeader,
            """
            The file "\(path)" begins as a plaintext database and does not go on as one. If it never was encrypted, \
            its first 100 bytes are damaged: restore it from a backup. If SQLCipher 4 created it with \
            `PRAGMA cipher_plaintext_header_size`, with its salt stored elsewhere, it is not supported: in the \
            sqlcipher shell, set its key, that setting and `PRAGMA cipher_salt`, attach a new file with a key, and \
            export into it with `sqlcipher_export`; then open the new file. Nothing was changed.
            """
        )
    }
}
