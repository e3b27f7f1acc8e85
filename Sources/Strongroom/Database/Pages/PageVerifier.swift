/// Verifies the authentication code of every page of a database.
///
/// The engine verifies only pages that it reads, does not report damage in the last overflow page of a value, and in
/// version 3 accepts a page of zeros.
struct PageVerifier {
    let contents: PageContents

    init(_ contents: PageContents) {
        self.contents = contents
    }

    /// Reads the pages through a connection, inside a transaction that excludes other writers.
    init(_ connection: Connection, _ cipher: PageCipher) throws {
        contents = PageContents(
            pages: try DatabasePages(of: connection, pageSize: cipher.layout.pageSize), cipher: cipher)
    }

    /// Reads the pages of a file that no process has open and that has no WAL.
    ///
    /// The number of pages is taken from the first page if that is valid, otherwise from the file size.
    init(closed file: any FileBytes, _ cipher: PageCipher) throws {
        let pageSize = cipher.layout.pageSize
        let size = try file.size()
        // A partial page counts as a damaged page.
        let pagesOfFile = Int((size + Int64(pageSize) - 1) / Int64(pageSize))
        let whole = PageContents(
            pages: DatabasePages(closed: file, pageSize: pageSize, count: pagesOfFile), cipher: cipher)
        guard let header = try whole.content(of: 1).flatMap(DatabaseHeader.init), let count = header.pageCount else {
            contents = whole
            return
        }
        contents = PageContents(pages: DatabasePages(closed: file, pageSize: pageSize, count: count), cipher: cipher)
    }

    /// The number of pages.
    var count: Int { contents.pages.count }

    /// Verifies every page, on all processors.
    ///
    /// - Parameter progress: Called repeatedly with the number of pages verified so far; an error that it throws ends
    ///   the verification.
    /// - Returns: The damaged pages, in order.
    func damagedPages(progress: (Int) throws -> Void = { _ in }) throws -> [Int] {
        let findings = try scan(progress: progress)
        guard findings.contains(where: { $0.isZero }) else { return findings.map(\.page) }
        let unused = try FreeList(contents).leaves
        return findings.filter { !$0.isZero || !unused.contains($0.page) }.map(\.page)
    }
}

extension PageVerifier: PageScan {
    struct Finding {
        let page: Int
        /// Whether the page is all zeros, and may never have been written: with a rollback journal and without
        /// `secure_delete`, the engine leaves a hole for a page that was allocated and freed in one transaction
        /// (measured on SQLCipher 3.4 and 4.6).
        let isZero: Bool
    }

    var pages: DatabasePages { contents.pages }

    func makeMemory(pages count: Int) -> PageMemory { PageMemory(for: pages, count: count) }

    func read(_ range: ClosedRange<Int>, into memory: PageMemory) throws -> PagePortion {
        try PagePortion(range, of: pages, into: memory)
    }

    func findings(in portion: PagePortion, _: PageMemory) -> [Finding] {
        portion.range.compactMap { number in
            number == contents.cipher.layout.lockBytePage ? nil : finding(number, portion)
        }
    }

    private func finding(_ number: Int, _ portion: PagePortion) -> Finding? {
        if let found = portion.inLog(number) {
            guard let page = found.bytes, isAuthentic(page, number) else { return Finding(page: number, isZero: false) }
            // The page in the file is older and will be overwritten, or is being overwritten.
            guard found.isInFile else { return nil }
        }
        guard let page = portion.inFile(number) else { return Finding(page: number, isZero: false) }
        return isAuthentic(page, number) ? nil : Finding(page: number, isZero: page.allSatisfy { $0 == 0 })
    }

    private func isAuthentic(_ page: UnsafeRawBufferPointer, _ number: Int) -> Bool {
        contents.cipher.authentication.isAuthentic(page, number: number)
    }
}
