/// Checks the authentication code of every page of a database.
///
/// The engine checks only what it reads, keeps silent about the last page of a long value, and in version 3 takes a
/// page of zeros for sound.
struct PageVerifier {
    let contents: PageContents

    /// Bytes that are read at one time.
    private static let portion = 256 << 10

    /// The pages of a database through a connection, inside a transaction that keeps others from writing.
    init(_ connection: Connection, _ cipher: PageCipher) throws {
        contents = PageContents(
            pages: try DatabasePages(of: connection, pageSize: cipher.layout.pageSize), cipher: cipher)
    }

    /// The pages of a file that nobody has open, in this process or another, and beside which no log lies.
    ///
    /// When the first page is sound it tells how many there are; otherwise the file's length does.
    init(closed file: any FileBytes, _ cipher: PageCipher) throws {
        let pageSize = cipher.layout.pageSize
        let size = try file.size()
        // A part of a page counts as one, which is damaged.
        let pagesOfFile = Int((size + Int64(pageSize) - 1) / Int64(pageSize))
        let whole = PageContents(
            pages: DatabasePages(closed: file, pageSize: pageSize, count: pagesOfFile), cipher: cipher)
        guard let header = try whole.content(of: 1).flatMap(DatabaseHeader.init), let count = header.pageCount else {
            contents = whole
            return
        }
        contents = PageContents(pages: DatabasePages(closed: file, pageSize: pageSize, count: count), cipher: cipher)
    }

    /// The pages of the database.
    var count: Int { contents.pages.count }

    /// Checks every page.
    ///
    /// - Parameter progress: Called now and then with the number of pages that have been looked at; what it throws ends
    ///   the check.
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
                    switch try state(of: number, page, isThere: start + pageSize <= read, log) {
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
        /// It may be one that has never been written: with a rollback journal and without `secure_delete` the engine
        /// leaves a hole where a page was taken and given back in one transaction (measured on SQLCipher 3.4 and 4.6).
        case zeros
    }

    private func state(
        of number: Int, _ page: UnsafeRawBufferPointer, isThere: Bool, _ buffer: UnsafeMutableRawBufferPointer
    ) throws -> State {
        if let found = try contents.pages.readLog(number, into: buffer) {
            let page = UnsafeRawBufferPointer(buffer)
            guard found.isThere, contents.cipher.authentication.isAuthentic(page, number: number) else {
                return .damaged
            }
            // The file's is older and to be overwritten, or being overwritten just now.
            guard found.isInFile else { return .sound }
        }
        guard isThere else { return .damaged }
        if contents.cipher.authentication.isAuthentic(page, number: number) { return .sound }
        return page.allSatisfy { $0 == 0 } ? .zeros : .damaged
    }
}
