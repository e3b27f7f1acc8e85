/// Distinguishes a plaintext database from one that is encrypted after a plaintext header.
///
/// SQLCipher 4 leaves the first bytes of a file in plaintext if `PRAGMA cipher_plaintext_header_size` is set, to a
/// multiple of 16 and usually to 32; the salt is then stored outside the file ("SQLCipher API",
/// zetetic.net/sqlcipher/sqlcipher-api). Everything after the header is ciphertext, also in the first page. The pages
/// are therefore checked against "Database File Format" (sqlite.org/fileformat.html): a file is considered a plaintext
/// database unless the opposite is proved.
struct PlaintextHeader {
    /// The file size in bytes.
    let size: Int64
    /// Reads bytes of the file at an offset; returns fewer at the end of the file.
    let read: (_ offset: Int64, _ count: Int) throws -> [UInt8]

    /// The header string of a plaintext database.
    static let beginning = Array("SQLite format 3\0".utf8)

    /// The number of pages that are checked besides the first.
    private static let maxPages = 16
    /// The bytes of the header that are reserved for expansion, which are 0 in every database.
    private static let unused = 72..<92

    /// Whether ciphertext follows the header of a file that begins like a plaintext database.
    ///
    /// - Throws: Errors of `read`.
    func isFollowedByCiphertext() throws -> Bool {
        let header = try read(0, DatabaseHeader.length)
        guard header.count == DatabaseHeader.length else { return false }
        // With a header of 16 bytes the sizes are ciphertext, too; a plaintext database with invalid sizes is damaged.
        guard let sizes = Sizes(header) else { return header[Self.unused].contains { $0 != 0 } }
        // Each page of an encrypted file has at least an initialisation vector in its reserved bytes.
        guard sizes.reserve >= PageLayout.vectorLength else { return false }
        guard impossibleFields(header) < 2 else { return true }
        let page = try read(0, sizes.page)
        guard page.count == sizes.page else { return false }
        let content = WipedBytes(copying: page.prefix(sizes.usable))
        guard let tree = TreePage(content, isFirst: true), tree.isTable, tree.isConsistent else {
            return sizes.hasVector(page)
        }
        return try isFollowedByCiphertext(tree, content, sizes, hasVector: sizes.hasVector(page))
    }

    /// The number of fields with a value that no database has: they are ciphertext if the header is shorter than
    /// SQLite's.
    private func impossibleFields(_ header: [UInt8]) -> Int {
        func number(_ offset: Int) -> Int { header.integer(at: offset) ?? 0 }
        let (schemaFormat, encoding) = (number(44), number(56))
        return [schemaFormat > 4, encoding > 3, header[Self.unused].contains { $0 != 0 }].count { $0 }
    }

    /// Whether ciphertext follows a header that includes the first page's b-tree header.
    ///
    /// - Parameter hasVector: Whether the first page has what may be an initialisation vector.
    private func isFollowedByCiphertext(
        _ tree: TreePage, _ content: WipedBytes, _ sizes: Sizes, hasVector: Bool
    ) throws -> Bool {
        guard tree.isLeaf else { return try isCiphertext(tree.children, sizes, isSound: sizes.isTree) }
        guard tree.cellCount > 0 else {
            // Without a schema, the database has at most freelist pages. Ciphertext has no run of zeros.
            if let trunk = DatabaseHeader(content)?.firstFreeTrunk, trunk > 0 {
                return try isCiphertext([trunk], sizes, isSound: sizes.isFreeTrunk)
            }
            return hasVector && !content[DatabaseHeader.length + 8..<content.count].hasZeros(4)
        }
        let encoding = DatabaseHeader(content)?.encoding ?? .utf8
        var roots: [Int] = []
        var isSchema = false
        for cell in 0..<tree.cellCount {
            let record = tree.cell(cell)?.payload?.local ?? .none
            guard let types = RecordFields.types(record), types.count == 5 else { return hasVector }
            isSchema = isSchema || Self.schemaTypes.contains(types[0])
            guard let fields = RecordFields(record, count: 4, encoding: encoding)?.fields,
                case .plain(.integer(let root)) = fields[3]
            else { continue }
            roots.append(Int(Int32(clamping: root)))
        }
        guard isSchema else { return hasVector }
        return try isCiphertext(roots, sizes, isSound: sizes.isTree)
    }

    /// The serial types of texts as long as "view", "table" or "index", and "trigger", with one or two bytes per
    /// character.
    private static let schemaTypes: Set<Int64> = [21, 23, 27, 29, 33, 41]

    /// Whether referenced pages are ciphertext. One valid page disproves it; a page of zeros, or past the end, may be
    /// in a WAL.
    private func isCiphertext(_ pages: [Int], _ sizes: Sizes, isSound: ([UInt8]) -> Bool) throws -> Bool {
        var found = false
        for number in pages.filter({ $0 > 1 && Int64($0) * Int64(sizes.page) <= size }).prefix(Self.maxPages) {
            let page = try read(Int64(number - 1) * Int64(sizes.page), sizes.page)
            guard page.count == sizes.page, page.contains(where: { $0 != 0 }) else { continue }
            if isSound(page) { return false }
            found = found || sizes.hasVector(page)
        }
        return found
    }
}

extension PlaintextHeader {
    /// The sizes in bytes 16 to 23 of the header.
    private struct Sizes {
        /// The page size, in bytes.
        let page: Int
        /// The number of reserved bytes at the end of a page.
        let reserve: Int

        var usable: Int { page - reserve }

        /// Nil for sizes that SQLite never writes.
        init?(_ header: [UInt8]) {
            let stored = header.shortInteger(at: 16) ?? 0
            page = stored == 1 ? 65_536 : stored
            reserve = Int(header[20])
            guard page.nonzeroBitCount == 1, page >= 512, page - reserve >= 480,
                header[21] == 64, header[22] == 32, header[23] == 32
            else { return nil }
        }

        /// Whether a page is a b-tree page.
        func isTree(_ page: [UInt8]) -> Bool {
            TreePage(WipedBytes(copying: page.prefix(usable)), isFirst: false)?.isConsistent == true
        }

        /// Whether a page is a freelist trunk page.
        func isFreeTrunk(_ page: [UInt8]) -> Bool { page.integer(at: 4).map { $0 <= usable / 4 - 2 } ?? false }

        /// Whether a page has what may be an initialisation vector, which is random, in its reserved bytes.
        func hasVector(_ page: [UInt8]) -> Bool {
            page[usable..<usable + PageLayout.vectorLength].contains { $0 != 0 }
        }
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
