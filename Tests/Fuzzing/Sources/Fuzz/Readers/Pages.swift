@testable import Strongroom

extension Reader {
    /// The pages of a database as they are read without the engine: b-trees, records, the freelist, orphaned branches,
    /// and what follows a plaintext header.
    static let pages = Reader("pages", longest: 16 * EncryptedFile.usable + 4) { input in
        let root = input.number(below: 20)
        let damaged = Int(input.byte())
        let content = RowContents.all[Int(input.byte()) % RowContents.all.count]
        let bytes = input.remainder()
        try readPlaintext(MemoryFile(bytes: bytes))
        var file = try EncryptedFile()
        for start in stride(from: 0, to: bytes.count, by: EncryptedFile.usable) {
            let page = Array(bytes[start..<min(start + EncryptedFile.usable, bytes.count)])
            file.append(page, isAuthentic: start / EncryptedFile.usable != damaged)
        }
        try read(file, root, content)
    }

    private static func readPlaintext(_ file: MemoryFile) throws {
        _ = try PlaintextHeader.isFollowedByCiphertext(file.size()) { offset, count in
            require(count >= 0 && count <= 1 << 16, "at most a page is read")
            var bytes = [UInt8](repeating: 0, count: count)
            let length = bytes.withUnsafeMutableBytes { file.read(at: offset, into: $0) }
            return Array(bytes.prefix(length))
        }
    }

    private static func read(_ file: EncryptedFile, _ root: Int, _ content: TreeWalk.RowContent) throws {
        let stored = MemoryFile(bytes: file.bytes)
        let count = file.bytes.count / file.cipher.layout.pageSize
        let contents = PageContents(
            pages: DatabasePages(closed: stored, pageSize: file.cipher.layout.pageSize, count: count),
            cipher: file.cipher)
        let header = try contents.content(of: 1).flatMap(DatabaseHeader.init)
        // A header that counts more pages than there are costs a finding for each, and has the owner's key.
        if header?.pageCount ?? 0 < 1_000 { _ = try PageVerifier(closed: stored, file.cipher).damagedPages() }
        let free = try FreeList(contents)
        try walk(contents, root, content, header?.encoding ?? .utf8)
        var search = OrphanSearch(
            contents: contents, reached: PageSet(pages: count), damaged: PageSet(pages: count),
            layouts: [0: RowLayout(columns: [.init(affinity: .integer, isNullable: true)])], haveRowIDs: [0],
            checkCancellation: {})
        try search.run(without: free) { branch in
            require(branch.top > 0 && branch.top <= count, "a branch begins in the file")
        }
    }

    private static func walk(
        _ contents: PageContents, _ root: Int, _ content: TreeWalk.RowContent, _ encoding: EncodedText.Encoding
    ) throws {
        var walk = TreeWalk(contents: contents)
        walk.rowContent = content
        var met = PageSet(pages: contents.pages.count)
        try walk.walk(root) { event in
            switch event {
            case .page(let number): require(met.insert(number), "each page is met once, and is in the file")
            case .node(let depth, _): require(depth < 64, "the depth is limited")
            case .unreadable(let gap): require(gap.depth <= 64, "the depth is limited")
            case .row(_, let record, _):
                guard let fields = RecordFields(record, encoding: encoding)?.fields else { return }
                require(fields.count == RecordFields.types(record)?.count, "each type of a record has a value")
                for field in fields { try bind(field) }
            }
        }
    }

    private static func bind(_ field: RecordFields.Field) throws {
        try MemoryDatabase.shared.connection.withOwnStatement("SELECT ?") { statement in
            try statement.bind(field, at: 0)
            while try statement.step() { _ = try? Row(statement).value(at: 0) }
        }
    }
}

private enum RowContents {
    static let all: [TreeWalk.RowContent] = [.everything, .beginning, .nothing]
}
