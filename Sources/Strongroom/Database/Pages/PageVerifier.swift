/// Verifies the authentication code of every page of a database.
///
/// The engine verifies only pages that it reads, does not report damage in the last overflow page of a value, and in
/// version 3 accepts a page of zeros.
struct PageVerifier {
    let contents: PageContents

    /// Bytes per read.
    private static let portion = 256 << 10

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

    /// Verifies every page.
    ///
    /// - Parameter progress: Called repeatedly with the number of pages verified so far; an error that it throws ends
    ///   the verification.
    /// - Returns: The damaged pages, in order.
    func damagedPages(progress: (Int) throws -> Void = { _ in }) throws -> [Int] {
        var damaged: [Int] = []
        var zeros: [Int] = []
        let pageSize = contents.pages.pageSize
        let portion = max(1, Self.portion / pageSize)
        try withUnsafeTemporaryAllocation(byteCount: (portion + 1) * pageSize, alignment: 16) { buffer in
            let file = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(portion * pageSize)])
            let log = UnsafeMutableRawBufferPointer(rebasing: buffer[(portion * pageSize)...])
            for first in stride(from: 1, through: count, by: portion) {
                let last = min(first + portion - 1, count)
                let read = try contents.pages.readFile(from: first, into: file)
                for number in first...last where number != contents.cipher.layout.lockBytePage {
                    let start = (number - first) * pageSize
                    let page = UnsafeRawBufferPointer(rebasing: file[start..<start + pageSize])
                    switch try state(of: number, page, isPresent: start + pageSize <= read, log) {
                    case .sound: break
                    case .zeros: zeros.append(number)
                    case .damaged: damaged.append(number)
                    }
                }
                try progress(last)
            }
        }
        guard !zeros.isEmpty else { return damaged }
        let unused = try FreeList(contents).leaves
        return (damaged + zeros.filter { !unused.contains($0) }).sorted()
    }

    private enum State {
        case sound, damaged
        /// The page may never have been written: with a rollback journal and without `secure_delete`, the engine leaves
        /// a hole for a page that was allocated and freed in one transaction (measured on SQLCipher 3.4 and 4.6).
        case zeros
    }

    private func state(
        of number: Int, _ page: UnsafeRawBufferPointer, isPresent: Bool, _ buffer: UnsafeMutableRawBufferPointer
    ) throws -> State {
        if let found = try contents.pages.readLog(number, into: buffer) {
            let page = UnsafeRawBufferPointer(buffer)
            guard found.isPresent, contents.cipher.authentication.isAuthentic(page, number: number) else {
                return .damaged
            }
            // The page in the file is older and will be overwritten, or is being overwritten.
            guard found.isInFile else { return .sound }
        }
        guard isPresent else { return .damaged }
        if contents.cipher.authentication.isAuthentic(page, number: number) { return .sound }
        return page.allSatisfy { $0 == 0 } ? .zeros : .damaged
    }
}
