/// Compares a copy of a database with its source page by page, without the engine: each page has a valid authentication
/// code in both, and the same content.
struct PageComparison {
    let pages: DatabasePages
    let copy: DatabasePages
    private let ciphers: (source: PageCipher, copy: PageCipher)?
    /// The length of the copy as a file, in bytes.
    private let copySize: Int64

    /// - Parameter file: The copy, which no connection of this process has open and which has no WAL.
    init(of pages: DatabasePages, key source: DerivedKey?, with file: any FileBytes, key copy: DerivedKey?) throws {
        self.pages = pages
        self.copy = DatabasePages(closed: file, pageSize: pages.pageSize, count: pages.count)
        copySize = try file.size()
        if let source, let copy {
            ciphers = (try PageCipher(source), try PageCipher(copy))
        } else {
            ciphers = nil
        }
    }

    /// Compares all pages, on all processors.
    ///
    /// - Returns: The number of damaged pages of the source; and the defect of the copy, as in "it has 2 damaged
    ///   pages", nil if it equals the source.
    func run(progress: (Int) throws -> Void) throws -> (damagedInSource: Int, defectOfCopy: String?) {
        let found = Dictionary(grouping: try scan(progress: progress), by: \.kind).mapValues { $0.map(\.page) }
        var damaged = found[.damagedInSource]?.count ?? 0
        if let cipher = ciphers?.source, let zeros = found[.zerosInSource] {
            let unused = try FreeList(PageContents(pages: pages, cipher: cipher)).leaves
            damaged += zeros.count { !unused.contains($0) }
        }
        guard copySize == Int64(pages.count) * Int64(pages.pageSize) else { return (damaged, "it has another length") }
        let defect =
            found[.damagedInCopy].map { "\($0.count.counting("damaged page")), the first of them page \($0[0])" }
            ?? found[.different].map {
                "another content in \($0.count.counting("page")), the first of them page \($0[0])"
            }
        return (damaged, defect.map { "it has \($0)" })
    }
}

extension PageComparison: PageScan {
    struct Memory {
        let source: PageMemory
        let copy: PageMemory
        let content: (source: WipedMemory, copy: WipedMemory)
    }

    struct Finding {
        enum Kind {
            case damagedInSource, damagedInCopy, different
            /// The page may never have been written: see ``PageVerifier/Finding/isZero``.
            case zerosInSource
        }

        let page: Int
        let kind: Kind
    }

    func makeMemory(pages count: Int) -> Memory {
        Memory(
            source: PageMemory(for: pages, count: count), copy: PageMemory(for: copy, count: count),
            content: (WipedMemory(count: pages.pageSize), WipedMemory(count: pages.pageSize)))
    }

    func read(_ range: ClosedRange<Int>, into memory: Memory) throws -> (source: PagePortion, copy: PagePortion) {
        (
            try PagePortion(range, of: pages, into: memory.source),
            try PagePortion(range, of: copy, into: memory.copy)
        )
    }

    func findings(in portion: (source: PagePortion, copy: PagePortion), _ memory: Memory) throws -> [Finding] {
        try portion.source.range.compactMap { number in
            guard number != PageLayout.lockBytePage(pageSize: pages.pageSize) else { return nil }
            return try difference(number, portion.source, portion.copy, memory).map { kind in
                Finding(page: number, kind: kind)
            }
        }
    }

    private func difference(
        _ number: Int, _ source: PagePortion, _ copy: PagePortion, _ memory: Memory
    ) throws -> Finding.Kind? {
        guard let source = source.current(number) else { return .damagedInSource }
        guard let copy = copy.current(number) else { return .damagedInCopy }
        guard let ciphers else { return isSame(source, copy, number) ? nil : .different }
        guard ciphers.copy.isAuthentic(copy, number: number) else { return .damagedInCopy }
        guard ciphers.source.isAuthentic(source, number: number) else {
            return source.allSatisfy { $0 == 0 } ? .zerosInSource : .damagedInSource
        }
        let usable = ciphers.source.layout.usable
        let (first, second) = (memory.content.source.bytes[..<usable], memory.content.copy.bytes[..<usable])
        try ciphers.source.decipher(
            source, number: number, into: UnsafeMutableRawBufferPointer(rebasing: first))
        try ciphers.copy.decipher(
            copy, number: number, into: UnsafeMutableRawBufferPointer(rebasing: second))
        let isSame = isSame(
            UnsafeRawBufferPointer(rebasing: first), UnsafeRawBufferPointer(rebasing: second), number)
        return isSame ? nil : .different
    }

    private func isSame(_ source: UnsafeRawBufferPointer, _ copy: UnsafeRawBufferPointer, _ number: Int) -> Bool {
        guard number == 1 else { return source.hasSameBytes(as: copy) }
        var start = 0
        for changed in DatabaseHeader.changedByCopying + [source.count..<source.count] {
            let same = start..<changed.lowerBound
            guard
                UnsafeRawBufferPointer(rebasing: source[same])
                    .hasSameBytes(as: UnsafeRawBufferPointer(rebasing: copy[same]))
            else { return false }
            start = changed.upperBound
        }
        return true
    }
}

extension DatabaseHeader {
    /// What the engine sets anew in the header of a copy: the journal mode, the change counter, the schema cookie, the
    /// change counter at which the page count was valid, and the engine's version ("Database File Format", section 1.3,
    /// sqlite.org/fileformat.html).
    fileprivate static let changedByCopying = [18..<20, 24..<28, 40..<44, 92..<100]
}
