/// The header of the database ("Database File Format", section 1.3, sqlite.org/fileformat.html).
struct DatabaseHeader {
    static let length = 100

    /// The number of pages; nil if the file was last written by an old engine, which does not maintain the number.
    let pageCount: Int?
    /// The first freelist trunk page; 0 if there is none.
    let firstFreeTrunk: Int
    /// The number of freelist pages, including the trunk pages.
    let freePages: Int
    /// Whether the database has pointer map pages (`auto_vacuum`).
    let hasPointerMap: Bool
    let isInWriteAheadMode: Bool
    let encoding: EncodedText.Encoding

    /// - Parameter page: The content of the first page.
    init?<Bytes: RandomAccessCollection<UInt8>>(_ page: Bytes) where Bytes.Index == Int {
        guard page.count >= Self.length else { return nil }
        func number(_ offset: Int) -> Int { page.integer(at: offset) ?? 0 }
        let (changes, changesAtCount) = (number(24), number(92))
        pageCount = changes == changesAtCount && number(28) > 0 ? number(28) : nil
        firstFreeTrunk = number(32)
        freePages = number(36)
        hasPointerMap = number(52) != 0
        isInWriteAheadMode = page[18] == 2 || page[19] == 2
        encoding =
            switch number(56) {
            case 2: .utf16Little
            case 3: .utf16Big
            default: .utf8
            }
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// The big-endian 32-bit integer at an offset; nil past the end.
    func integer(at offset: Int) -> Int? {
        guard offset >= 0, offset + 4 <= count else { return nil }
        return self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The big-endian 16-bit integer at an offset; nil past the end.
    func shortInteger(at offset: Int) -> Int? {
        guard offset >= 0, offset + 2 <= count else { return nil }
        return Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    /// The variable-length integer at an offset, and its length; nil past the end.
    func variableInteger(at offset: Int) -> (value: Int64, length: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset >= 0, offset + index < count else { return nil }
            let byte = self[offset + index]
            if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (Int64(bitPattern: value), index + 1) }
        }
        return nil
    }
}

/// The freelist: the unused pages of the database ("Database File Format", section 1.5).
struct FreeList {
    private(set) var trunks: PageSet
    /// The leaf pages, whose content is not used.
    private(set) var leaves: PageSet
    /// Whether the freelist was read in full; otherwise some unused pages are in neither set.
    private(set) var isComplete = false

    init(_ contents: PageContents) throws {
        trunks = PageSet(pages: contents.pages.count)
        leaves = trunks
        guard let header = try contents.content(of: 1).flatMap(DatabaseHeader.init) else { return }
        var found = 0
        var next = header.firstFreeTrunk
        while next != 0, trunks.insert(next) {
            guard let trunk = try contents.content(of: next), let count = trunk.integer(at: 4) else { return }
            for index in 0..<min(count, trunk.count / 4 - 2) where leaves.insert(trunk.integer(at: 8 + 4 * index) ?? 0)
            {
                found += 1
            }
            found += 1
            next = trunk.integer(at: 0) ?? 0
        }
        isComplete = next == 0 && found == header.freePages
    }
}
