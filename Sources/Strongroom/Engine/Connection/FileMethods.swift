import CSQLCipher

/// The engine's request for locks in the WAL index ("WAL-mode File Format", section 2.3.1,
/// sqlite.org/walformat.html).
struct IndexLock {
    var slots: Range<Int32>
    let isLocking: Bool
    let isExclusive: Bool

    static let write: Range<Int32> = 0..<1
    static let checkpoint: Range<Int32> = 1..<2
    /// The readers' slots; a reader of the first one reads the database file only.
    static let readers: Range<Int32> = 3..<8
    /// The slots of readers of the WAL; a writer that restarts the WAL locks them together.
    static let walReaders: Range<Int32> = 4..<8

    /// A request for exclusive locks, or their release.
    static func exclusive(_ slots: Range<Int32>, isLocking: Bool) -> IndexLock {
        IndexLock(slots: slots, isLocking: isLocking, isExclusive: true)
    }
}

/// Changes how the engine's lock requests are carried out.
protocol FileLockRule: AnyObject {
    /// - Parameters:
    ///   - lock: A request for exclusive locks, or their release.
    ///   - proceed: Carries out the request passed to it, and returns the engine's result code.
    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32

    /// - Parameter level: The requested lock on the file, one of `SQLITE_LOCK_SHARED` to `SQLITE_LOCK_EXCLUSIVE`.
    func lockFile(_ level: Int32, _ proceed: (Int32) -> Int32) -> Int32
}

extension FileLockRule {
    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 { proceed(lock) }
    func lockFile(_ level: Int32, _ proceed: (Int32) -> Int32) -> Int32 { proceed(level) }
}

/// Wraps the engine's methods of a file, to change locking, reading and writing.
///
/// See SQLite's documentation, "OS Interface File Virtual Methods Object" (sqlite.org/c3ref/io_methods.html).
struct FileMethods {
    typealias File = UnsafeMutablePointer<sqlite3_file>

    /// The methods that the engine calls; the first member, so that the engine's pointer to them leads here.
    private var methods: sqlite3_io_methods
    private let original: UnsafePointer<sqlite3_io_methods>
    private var rules: [any FileLockRule] = []
    /// Whether a page of zeros gets a nonzero byte when it is read.
    var refusesZeroPages = false
    /// The numbers of pages of known damage by their positions; reading one is an error.
    private var refused: [Int64: Int] = [:]
    private var fillRefused: ((UnsafeMutableRawBufferPointer, Int) -> Void)?
    private var resultOfRefused = SQLITE_CORRUPT
    /// Whether the operating system has failed to read the file since this was last set to false.
    var hasFailedToRead = false
    private(set) var writeRule: LogBuffer?
    /// How the WAL of a database file is written.
    var writeRuleOfLog: LogBuffer?
    /// Whether the connection has the write lock in the WAL index.
    private(set) var holdsWriteLock = false

    private var isIndexOpen = false

    /// The newest version of the methods that is supported here.
    private static let form: Int32 = 3
    private static let smallestPage: Int32 = 512

    /// Replaces a file's methods until the engine closes it, unless this has been done already.
    ///
    /// - Returns: The wrapper; nil for a file that has no such methods, such as one in memory.
    static func install(on file: File) -> UnsafeMutablePointer<FileMethods>? {
        if let installed = of(file) { return installed }
        guard let original = file.pointee.pMethods, original.pointee.iVersion >= form, original.pointee.xShmLock != nil
        else { return nil }
        let own = UnsafeMutablePointer<FileMethods>.allocate(capacity: 1)
        own.initialize(to: FileMethods(original))
        file.pointee.pMethods = UnsafeRawPointer(own).assumingMemoryBound(to: sqlite3_io_methods.self)
        return own
    }

    /// The wrapper of a file's methods; nil if none is installed.
    static func of(_ file: File) -> UnsafeMutablePointer<FileMethods>? {
        guard let methods = file.pointee.pMethods, address(methods.pointee.xClose) == address(close) else { return nil }
        return UnsafeMutableRawPointer(mutating: UnsafeRawPointer(methods)).assumingMemoryBound(to: FileMethods.self)
    }

    /// The VFS's own methods of a file, which read it unchanged.
    static func original(of file: File) -> UnsafePointer<sqlite3_io_methods>? {
        of(file)?.pointee.original ?? file.pointee.pMethods.map { UnsafePointer($0) }
    }

    /// Adds a rule, which is applied before the rules added earlier.
    mutating func add(_ rule: any FileLockRule) {
        rules.insert(rule, at: 0)
    }

    /// Makes reading pages an error.
    mutating func refuse(_ positions: [Int64: Int], of pages: RefusedPages) {
        (refused, fillRefused, resultOfRefused) = (positions, pages.fill, pages.result)
    }

    /// Makes writes go through a buffer.
    mutating func bufferWrites(to file: File) -> LogBuffer {
        let rule = LogBuffer { [original] bytes, count, offset in
            let result = ProcessExit.requireKeys()
            return result == SQLITE_OK ? original.pointee.xWrite(file, bytes, Int32(count), offset) : result
        }
        writeRule = rule
        methods.xWrite = { file, bytes, count, offset in
            guard let file, let bytes, let rule = FileMethods.of(file)?.pointee.writeRule else { return SQLITE_MISUSE }
            return rule.write(bytes, Int(count), at: offset)
        }
        methods.xTruncate = { file, size in FileMethods.flushed(file) { $0.pointee.xTruncate(file, size) } }
        methods.xSync = { file, flags in FileMethods.flushed(file) { $0.pointee.xSync(file, flags) } }
        methods.xFileSize = { file, size in FileMethods.flushed(file) { $0.pointee.xFileSize(file, size) } }
        return rule
    }

    private static func flushed(_ file: File?, _ call: (UnsafePointer<sqlite3_io_methods>) -> Int32) -> Int32 {
        guard let file, let own = of(file) else { return SQLITE_MISUSE }
        let result = own.pointee.writeRule?.flush() ?? SQLITE_OK
        return result == SQLITE_OK ? call(own.pointee.original) : result
    }

    // MARK: What the engine calls

    private typealias Close = @convention(c) (File?) -> Int32

    private static let close: Close = { file in
        guard let file, let own = FileMethods.of(file) else { return SQLITE_MISUSE }
        let original = own.pointee.original
        file.pointee.pMethods = original
        own.deinitialize(count: 1)
        own.deallocate()
        return original.pointee.xClose(file)
    }

    private static func address(_ close: Close?) -> UnsafeRawPointer? {
        close.map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
    }

    private init(_ original: UnsafePointer<sqlite3_io_methods>) {
        methods = original.pointee
        methods.iVersion = Self.form
        self.original = original
        methods.xClose = Self.close
        methods.xShmLock = { file, first, count, flags in
            guard let file, let own = FileMethods.of(file) else { return SQLITE_MISUSE }
            let result = own.pointee.openIndex(file)
            guard result == SQLITE_OK else { return result }
            let lock = IndexLock(
                slots: first..<(first + count), isLocking: flags & SQLITE_SHM_LOCK != 0,
                isExclusive: flags & SQLITE_SHM_EXCLUSIVE != 0)
            // A shared lock is a reader's, which no rule changes.
            return own.pointee.lockIndex(file, lock, rule: lock.isExclusive ? 0 : own.pointee.rules.count)
        }
        methods.xShmUnmap = { file, isDeleting in
            guard let file, let own = FileMethods.of(file) else { return SQLITE_MISUSE }
            own.pointee.isIndexOpen = false
            return own.pointee.original.pointee.xShmUnmap(file, isDeleting)
        }
        methods.xLock = { file, level in
            guard let file, let own = FileMethods.of(file) else { return SQLITE_MISUSE }
            return own.pointee.lockFile(file, level, rule: 0)
        }
        methods.xRead = { file, buffer, count, offset in
            guard let file, let own = FileMethods.of(file) else { return SQLITE_MISUSE }
            return own.pointee.read(file, buffer, count, offset)
        }
    }

    /// Opens the WAL index if the engine could not. Older engines, such as SQLite 3.15, dereference null when they
    /// request a lock in an index that failed to open, as a checkpoint does without reading first.
    private mutating func openIndex(_ file: File) -> Int32 {
        guard !isIndexOpen else { return SQLITE_OK }
        var page: UnsafeMutableRawPointer?
        let result = original.pointee.xShmMap(file, 0, Connection.indexPage, 0, &page)
        // A read-only index is open, too.
        guard result == SQLITE_OK || result & 0xFF == SQLITE_READONLY else { return result }
        isIndexOpen = true
        return SQLITE_OK
    }

    private mutating func lockIndex(_ file: File, _ lock: IndexLock, rule: Int) -> Int32 {
        guard rule == rules.count else {
            return rules[rule].lockIndex(lock) { lockIndex(file, $0, rule: rule + 1) }
        }
        let flags =
            (lock.isLocking ? SQLITE_SHM_LOCK : SQLITE_SHM_UNLOCK)
            | (lock.isExclusive ? SQLITE_SHM_EXCLUSIVE : SQLITE_SHM_SHARED)
        let result = original.pointee.xShmLock(file, lock.slots.lowerBound, Int32(lock.slots.count), flags)
        if lock.isExclusive, lock.slots.overlaps(IndexLock.write), result == SQLITE_OK || !lock.isLocking {
            holdsWriteLock = lock.isLocking
            if lock.isLocking { writeRuleOfLog?.beginWriting() } else { writeRuleOfLog?.endWriting() }
        }
        return result
    }

    private func lockFile(_ file: File, _ level: Int32, rule: Int) -> Int32 {
        guard rule == rules.count else {
            return rules[rule].lockFile(level) { lockFile(file, $0, rule: rule + 1) }
        }
        return original.pointee.xLock(file, level)
    }

    private mutating func read(
        _ file: File, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: sqlite3_int64
    ) -> Int32 {
        let result = readUnchecked(file, buffer, count, offset)
        // Past the end of the file it is no failure.
        if result & 0xFF == SQLITE_IOERR, result != Self.shortRead { hasFailedToRead = true }
        // Only pages are read in such lengths; a read past the end of the file has another result code.
        guard refusesZeroPages, result == SQLITE_OK, count >= Self.smallestPage, count & (count - 1) == 0, let buffer,
            Self.isZero(buffer, Int(count))
        else { return result }
        buffer.storeBytes(of: 1, as: UInt8.self)
        return result
    }

    /// `SQLITE_IOERR_SHORT_READ`.
    private static let shortRead = SQLITE_IOERR | 2 << 8

    private func readUnchecked(
        _ file: File, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: sqlite3_int64
    ) -> Int32 {
        if !refused.isEmpty, count >= Self.smallestPage, let number = refused[offset] {
            fillRefused?(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), number)
            return resultOfRefused
        }
        if let buffer, let done = writeRule?.read(buffer, Int(count), at: offset) { return done }
        return original.pointee.xRead(file, buffer, count, offset)
    }

    private static func isZero(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        // The first eight bytes are nearly always enough.
        guard buffer.loadUnaligned(as: UInt64.self) == 0 else { return false }
        return stride(from: 0, to: count, by: 8).allSatisfy {
            buffer.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == 0
        }
    }
}

/// Pages whose damage is known, and which the engine must not read.
struct RefusedPages {
    /// The numbers of pages by their positions in the database file, and in its WAL.
    var inFile: [Int64: Int] = [:]
    var inLog: [Int64: Int] = [:]
    var result = SQLITE_CORRUPT
    /// Fills a page's memory so that the codec accepts it: the engine decrypts also a page that could not be read.
    let fill: (UnsafeMutableRawBufferPointer, Int) -> Void
}

extension Connection {
    struct FileState {
        /// Throws if what was read is not valid because another process has replaced or changed the file; nil for a
        /// connection that writes.
        var check: (() throws -> Void)?
        /// Whether a page of zeros is damage, as in every encrypted file.
        var refusesZeroPages = false
        /// The most memory for decrypted pages, in bytes.
        var pageCache = Connection.defaultPageCache
        /// The number of keys that the file had had since its store was opened when the connection was opened.
        var keyGeneration = 0
        /// Whether a transaction could not begin because the file cannot be read with the connection's key.
        var isOfAnotherKey = false
        /// Whether the codec keeps an error as long as the connection is open.
        var codecKeepsErrors = false
        /// Whether the codec is known to have failed for good.
        var hasFailedCodec = false
        /// The number of pages that had been read when the connection was last found to have met no damage.
        var checkedMisses = 0
        /// The data version when it was last compared; see ``Connection/findForeignCommits()``.
        var dataVersion: Int64?
        /// Throws if the program does not know the schema that the file has now, and receives the number of the schema;
        /// nil where nothing is compared.
        var schemaCheck: ((Connection, _ version: Int64) throws -> Void)?
        /// The number of the schema that ``schemaCheck`` has accepted.
        var schemaVersion: Int64?
        /// Whether the schema may have changed since then.
        var mayHaveOtherSchema = true
        /// Whether the connection has prepared a statement that changes a table with a history.
        var hasHistory = false
    }

    struct WALState {
        /// The number of pages from which the WAL is also restarted, which waits for readers that still need it. If
        /// each reader begins before another ends, it would otherwise grow without limit.
        static let tooLong = 4_000
        /// The number of pages from which the WAL is checkpointed: the engine's default.
        static let long = 1_000

        /// The pages in the WAL after the last commit without a checkpoint.
        var length = 0
        var checkpointLength = long
        var restartLength = tooLong
        /// How many pages of it were in the database file after the last checkpoint.
        var checkpointed: Int32 = 0
        private var lengthBefore = 0

        mutating func recordCommit(_ pages: Int) {
            // The WAL was restarted: what prevented a complete checkpoint is gone.
            if pages < lengthBefore { self = WALState() }
            (length, lengthBefore) = (pages, pages)
        }
    }
}
