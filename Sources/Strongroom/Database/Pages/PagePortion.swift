/// Memory for consecutive pages as they are stored, which are read at once.
final class PagePortion {
    /// A page in the WAL.
    struct LogPage {
        /// Nil if the WAL ends before the page does.
        let bytes: UnsafeRawBufferPointer?
        /// Whether the file now has the same content.
        let isInFile: Bool
    }

    private let pageSize: Int
    private let file: UnsafeMutableRawBufferPointer
    /// Only allocated for a database that has pages in a WAL.
    private var log: UnsafeMutableRawBufferPointer?
    private var logPages: [Int: LogPage] = [:]
    private(set) var range = 1...1
    private var bytesOfFile = 0

    /// - Parameter count: The maximum number of pages.
    init(pages count: Int, pageSize: Int) {
        self.pageSize = pageSize
        file = .allocate(byteCount: count * pageSize, alignment: 16)
    }

    deinit {
        file.deallocate()
        log?.deallocate()
    }

    /// Reads pages from the file and from the WAL.
    func read(_ range: ClosedRange<Int>, of pages: DatabasePages) throws {
        self.range = range
        let length = range.count * pageSize
        bytesOfFile = try pages.readFile(
            from: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: file[..<length]))
        logPages = [:]
        guard pages.hasLog else { return }
        let log = log ?? .allocate(byteCount: file.count, alignment: 16)
        self.log = log
        for number in range {
            let place = UnsafeMutableRawBufferPointer(rebasing: log[bytes(of: number)])
            guard let found = try pages.readLog(number, into: place) else { continue }
            logPages[number] = LogPage(
                bytes: found.isPresent ? UnsafeRawBufferPointer(place) : nil, isInFile: found.isInFile)
        }
    }

    /// A page in the file; nil if the file ends before it does.
    func inFile(_ number: Int) -> UnsafeRawBufferPointer? {
        let place = bytes(of: number)
        return place.upperBound <= bytesOfFile ? UnsafeRawBufferPointer(rebasing: file[place]) : nil
    }

    /// A page in the WAL; nil if the WAL does not contain it.
    func inLog(_ number: Int) -> LogPage? { logPages[number] }

    /// The current content of a page; nil if it is not complete.
    func current(_ number: Int) -> UnsafeRawBufferPointer? {
        if let found = inLog(number) { return found.bytes }
        return inFile(number)
    }

    private func bytes(of number: Int) -> Range<Int> {
        let start = (number - range.lowerBound) * pageSize
        return start..<start + pageSize
    }
}
