/// The pages of a database as they lie in its file and in its log, enciphered.
///
/// A page that the log has counts as the log has it: that of the file is older, and may be written at this moment by
/// another process that checkpoints the WAL.
struct DatabasePages {
    /// Bytes of a page.
    let pageSize: Int
    /// The pages of the database; its file may have fewer when it was cut off.
    let count: Int
    private let file: any FileBytes
    private let log: LogPages?

    /// The pages of a file that nobody has open and beside which no log lies.
    ///
    /// - Parameter count: The pages of the database.
    init(closed file: any FileBytes, pageSize: Int, count: Int) {
        self.file = file
        self.pageSize = pageSize
        self.count = count
        log = nil
    }

    /// The pages that are committed at this moment, read through a connection; valid as long as its transaction, which
    /// keeps others from writing.
    init(of connection: Connection, pageSize: Int) throws {
        guard case .integer(let count)? = try connection.ownValue("PRAGMA page_count") else {
            throw StrongroomError(
                .engine, "SQLCipher does not tell how many pages the file has.", database: connection.database)
        }
        self.count = Int(count)
        self.pageSize = pageSize
        file = try connection.databaseFile()
        if let state = try connection.logState(), state.frames > 0 {
            log = try LogPages(connection.logFile(), state, pageSize: pageSize)
        } else {
            log = nil
        }
    }

    /// Reads pages of the file, whatever the log has.
    ///
    /// - Parameters:
    ///   - first: The first page, counted from 1.
    ///   - buffer: Gets them.
    /// - Returns: How many bytes there were.
    func readFile(from first: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try file.read(at: Int64(first - 1) * Int64(pageSize), into: buffer)
    }

    /// Reads a page where the log has it.
    ///
    /// - Returns: Nil when the log has not; otherwise whether all of it was there, and whether the file has the same by
    ///   now.
    func readLog(_ number: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> (isThere: Bool, isInFile: Bool)? {
        try log?.read(number, into: buffer)
    }

    /// Reads a page as it counts.
    ///
    /// - Returns: Whether all of it was there.
    func read(_ number: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        if let found = try readLog(number, into: buffer) { return found.isThere }
        return try readFile(from: number, into: buffer) == pageSize
    }
}

/// The pages of a write-ahead log: which are in it, and where the newest form of each lies.
///
/// See "WAL-mode File Format", section 1 (sqlite.org/walformat.html).
private struct LogPages {
    private static let header: Int64 = 32
    private static let frameHeader = 24

    private let bytes: any FileBytes
    private let pageSize: Int
    private let framesInFile: Int
    /// By the page's number, the newest of its frames, counted from 1.
    private var frames: [Int: Int] = [:]

    init(_ bytes: any FileBytes, _ state: LogState, pageSize: Int) throws {
        self.bytes = bytes
        self.pageSize = pageSize
        framesInFile = state.framesInFile
        for frame in 1...state.frames {
            let number = try withUnsafeTemporaryAllocation(byteCount: 4, alignment: 4) { buffer in
                guard try bytes.read(at: offset(of: frame), into: buffer) == 4 else { return 0 }
                return Int(UInt32(bigEndian: buffer.load(as: UInt32.self)))
            }
            frames[number] = frame
        }
    }

    private func offset(of frame: Int) -> Int64 {
        Self.header + Int64(frame - 1) * Int64(Self.frameHeader + pageSize)
    }

    func read(_ number: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> (isThere: Bool, isInFile: Bool)? {
        guard let frame = frames[number] else { return nil }
        let length = try bytes.read(at: offset(of: frame) + Int64(Self.frameHeader), into: buffer)
        return (length == buffer.count, frame <= framesInFile)
    }
}
