/// The encrypted pages of a database, in its file and its WAL.
///
/// A page in the WAL takes precedence: that of the file is older, and another process that checkpoints the WAL may be
/// writing it.
struct DatabasePages {
    let pageSize: Int
    /// The number of pages; a truncated file has fewer.
    let count: Int
    private let file: any FileBytes
    private let log: LogPages?

    /// The pages of a file that no process has open and that has no WAL.
    init(closed file: any FileBytes, pageSize: Int, count: Int) {
        self.file = file
        self.pageSize = pageSize
        self.count = count
        log = nil
    }

    /// The committed pages, read through a connection; valid during its transaction, which excludes other writers.
    init(of connection: Connection, pageSize: Int) throws {
        try self.init(
            of: connection, pageSize: pageSize, count: connection.pageCount(), log: connection.publishedLog())
    }

    /// The pages of a snapshot, read through a connection, while others write; valid during
    /// ``Connection/inSnapshotOfPages(_:)``.
    ///
    /// - Parameter log: The end of the WAL in the snapshot.
    init(of connection: Connection, pageSize: Int, in log: PublishedLog?) throws {
        // The engine may restart a WAL whose pages are all in the file.
        let count = try log.flatMap { $0.frames > 0 ? $0.pages : nil } ?? connection.pageCount()
        try self.init(of: connection, pageSize: pageSize, count: count, log: log.flatMap { $0.isInFile ? nil : $0 })
    }

    private init(of connection: Connection, pageSize: Int, count: Int, log published: PublishedLog?) throws {
        self.count = count
        self.pageSize = pageSize
        file = try connection.databaseFile()
        if let published, published.frames > 0 {
            log = try LogPages(connection.logFile(), published, pageSize: pageSize)
        } else {
            log = nil
        }
    }

    /// Whether any page may be in a WAL.
    var hasLog: Bool { log != nil }
    /// Whether the WAL, if there is one, was neither shortened nor restarted.
    var isLogIntact: Bool { log?.isIntact ?? true }

    /// Reads pages from the file, regardless of the WAL.
    func readFile(from first: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try file.read(at: Int64(first - 1) * Int64(pageSize), into: buffer)
    }

    /// Reads a page from the WAL.
    ///
    /// - Returns: Nil if the WAL does not contain it; otherwise whether it was complete, and whether the file now has
    ///   the same content.
    func readLog(_ number: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> (isPresent: Bool, isInFile: Bool)?
    {
        try log?.read(number, into: buffer)
    }

    /// The numbers of pages by their positions in the file and in the WAL.
    fileprivate func positions(of numbers: [Int]) -> (inFile: [Int64: Int], inLog: [Int64: Int]) {
        let inLog = numbers.compactMap { number in log?.position(of: number).map { ($0, number) } }
        return (
            Dictionary(uniqueKeysWithValues: numbers.map { (Int64($0 - 1) * Int64(pageSize), $0) }),
            Dictionary(uniqueKeysWithValues: inLog)
        )
    }

    /// Reads the current content of a page.
    ///
    /// - Returns: Whether it was complete.
    func read(_ number: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        if let found = try readLog(number, into: buffer) { return found.isPresent }
        return try readFile(from: number, into: buffer) == pageSize
    }
}

/// The pages in a WAL, and the latest frame of each.
///
/// See "WAL-mode File Format", section 1 (sqlite.org/walformat.html).
private struct LogPages {
    private let bytes: any FileBytes
    private let pageSize: Int
    private let framesInFile: Int
    /// The latest frame of each page, by page number; frames are counted from 1.
    private var frames: [Int: Int] = [:]
    /// Whether every frame is there, and of this log.
    private(set) var isIntact = true

    init(_ bytes: any FileBytes, _ log: PublishedLog, pageSize: Int) throws {
        self.bytes = bytes
        self.pageSize = pageSize
        framesInFile = log.framesInFile
        for frame in 1...log.frames {
            let (number, salts): (UInt32, UInt64) = try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) {
                let offset = position(ofFrame: frame) - Int64(LogHeader.frameHeader)
                guard try bytes.read(at: offset, into: $0) == 16 else { return (0, ~log.salts) }
                return ($0.load(as: UInt32.self), $0.load(fromByteOffset: 8, as: UInt64.self))
            }
            if salts != log.salts { isIntact = false }
            frames[Int(UInt32(bigEndian: number))] = frame
        }
    }

    private func position(ofFrame frame: Int) -> Int64 { LogHeader.offset(ofFrame: frame - 1, pageSize: pageSize) }

    /// The position of a page's latest frame, without its header.
    func position(of number: Int) -> Int64? { frames[number].map(position(ofFrame:)) }

    func read(_ number: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> (isPresent: Bool, isInFile: Bool)? {
        guard let frame = frames[number], let position = position(of: number) else { return nil }
        let length = try bytes.read(at: position, into: buffer)
        return (length == buffer.count, frame <= framesInFile)
    }
}

extension PageContents {
    /// What makes a connection refuse pages of known damage.
    func refusal(of damaged: [Int]) -> RefusedPages {
        let positions = pages.positions(of: damaged)
        return RefusedPages(inFile: positions.inFile, inLog: positions.inLog) { cipher.fill($0, number: $1) }
    }
}

/// Consecutive pages as they are stored, which were read at once; valid as long as their memory.
struct PagePortion {
    /// A page in the WAL: its bytes, nil if the WAL ends before the page does; and whether the file now has the same.
    typealias LogPage = (bytes: UnsafeRawBufferPointer?, isInFile: Bool)

    let range: ClosedRange<Int>
    private let pageSize: Int
    /// The part of the range that the file has.
    private let file: UnsafeRawBufferPointer
    private let log: [Int: LogPage]

    /// Reads pages from the file and from the WAL.
    init(_ range: ClosedRange<Int>, of pages: DatabasePages, into memory: PageMemory) throws {
        self.range = range
        pageSize = pages.pageSize
        let part = UnsafeMutableRawBufferPointer(rebasing: memory.file[..<(range.count * pageSize)])
        let length = try pages.readFile(from: range.lowerBound, into: part)
        file = UnsafeRawBufferPointer(rebasing: part[..<length])
        var log: [Int: LogPage] = [:]
        if pages.hasLog {
            let bytes = memory.log
            for number in range {
                let start = (number - range.lowerBound) * pageSize
                let page = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + pageSize])
                guard let found = try pages.readLog(number, into: page) else { continue }
                log[number] = (found.isPresent ? UnsafeRawBufferPointer(page) : nil, found.isInFile)
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

extension DatabasePages {
    /// The numbers of the pages that a predicate chooses by their bytes; a page that is not complete is zeros.
    func numbers(_ isChosen: (UnsafeRawBufferPointer, Int) throws -> Bool) throws -> [UInt32] {
        let pagesPerPortion = max(1, Self.portion / pageSize)
        let memory = PageMemory(for: self, count: pagesPerPortion)
        let zeros = [UInt8](repeating: 0, count: pageSize)
        var numbers: [UInt32] = []
        for first in stride(from: 1, through: count, by: pagesPerPortion) {
            let portion = try PagePortion(first...min(first + pagesPerPortion - 1, count), of: self, into: memory)
            for number in portion.range {
                let isChosen =
                    if let page = portion.current(number) {
                        try isChosen(page, number)
                    } else {
                        try zeros.withUnsafeBytes { try isChosen($0, number) }
                    }
                if isChosen { numbers.append(UInt32(number)) }
            }
        }
        return numbers
    }

    /// Bytes read at once.
    static let portion = 256 << 10
}

final class PageMemory {
    let file: UnsafeMutableRawBufferPointer
    let log: UnsafeMutableRawBufferPointer

    init(for pages: DatabasePages, count: Int) {
        file = .allocate(byteCount: count * pages.pageSize, alignment: 16)
        log = .allocate(byteCount: pages.hasLog ? file.count : 0, alignment: 16)
    }

    deinit {
        file.deallocate()
        log.deallocate()
    }
}

/// A set of page numbers, one bit for each page of a database.
struct PageSet {
    private var words: [UInt64]
    private let pages: Int

    /// - Parameter pages: The number of pages of the database; other page numbers are never in the set.
    init(pages: Int) {
        self.pages = max(0, pages)
        words = Array(repeating: 0, count: self.pages / 64 + 1)
    }

    init(pages: Int, _ numbers: some Sequence<Int>) {
        self.init(pages: pages)
        for number in numbers { insert(number) }
    }

    func contains(_ number: Int) -> Bool {
        guard number > 0, number <= pages else { return false }
        return words[number / 64] & (1 << UInt64(number % 64)) != 0
    }

    /// Adds a page.
    ///
    /// - Returns: Whether the page exists and was not in the set.
    @discardableResult
    mutating func insert(_ number: Int) -> Bool {
        guard number > 0, number <= pages, !contains(number) else { return false }
        words[number / 64] |= 1 << UInt64(number % 64)
        return true
    }
}
