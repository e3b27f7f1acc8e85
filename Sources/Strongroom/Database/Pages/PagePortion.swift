/// Consecutive pages as they are stored, which were read at once; valid as long as their memory.
struct PagePortion {
    /// A page in the WAL.
    struct LogPage {
        /// Nil if the WAL ends before the page does.
        let bytes: UnsafeRawBufferPointer?
        /// Whether the file now has the same content.
        let isInFile: Bool
    }

    let range: ClosedRange<Int>
    private let pageSize: Int
    /// The part of the range that the file has.
    private let file: UnsafeRawBufferPointer
    private let log: [Int: LogPage]

    /// Reads pages from the file and from the WAL.
    ///
    /// - Parameter memory: Receives the pages.
    init(_ range: ClosedRange<Int>, of pages: DatabasePages, into memory: PageMemory) throws {
        self.range = range
        pageSize = pages.pageSize
        let place = UnsafeMutableRawBufferPointer(rebasing: memory.file[..<(range.count * pageSize)])
        let length = try pages.readFile(from: range.lowerBound, into: place)
        file = UnsafeRawBufferPointer(rebasing: place[..<length])
        var log: [Int: LogPage] = [:]
        if pages.hasLog {
            let bytes = memory.log
            for number in range {
                let start = (number - range.lowerBound) * pageSize
                let place = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + pageSize])
                guard let found = try pages.readLog(number, into: place) else { continue }
                log[number] = LogPage(
                    bytes: found.isPresent ? UnsafeRawBufferPointer(place) : nil, isInFile: found.isInFile)
            }
        }
        self.log = log
    }

    /// A page in the file; nil if the file ends before it does.
    func inFile(_ number: Int) -> UnsafeRawBufferPointer? {
        let start = (number - range.lowerBound) * pageSize
        guard start + pageSize <= file.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: file[start..<start + pageSize])
    }

    /// A page in the WAL; nil if the WAL does not contain it.
    func inLog(_ number: Int) -> LogPage? { log[number] }

    /// The current content of a page; nil if it is not complete.
    func current(_ number: Int) -> UnsafeRawBufferPointer? {
        if let found = inLog(number) { return found.bytes }
        return inFile(number)
    }
}

/// The memory for the pages of a portion.
final class PageMemory {
    let file: UnsafeMutableRawBufferPointer
    let log: UnsafeMutableRawBufferPointer

    /// - Parameter count: The number of pages of the longest portion.
    init(for pages: DatabasePages, count: Int) {
        file = .allocate(byteCount: count * pages.pageSize, alignment: 16)
        log = .allocate(byteCount: pages.hasLog ? file.count : 0, alignment: 16)
    }

    deinit {
        file.deallocate()
        log.deallocate()
    }
}
