import CSQLCipher

/// A request of the engine's for slots of the WAL's index ("WAL-mode File Format", section 2.3.1,
/// sqlite.org/walformat.html).
struct IndexLock {
    var slots: Range<Int32>
    let isLocking: Bool
    let isExclusive: Bool

    static let write: Range<Int32> = 0..<1
    static let checkpoint: Range<Int32> = 1..<2
    /// Of the readers, the first of which reads the file alone.
    static let readers: Range<Int32> = 3..<8
    /// Of those that read from the WAL; a writer that begins it anew locks them together.
    static let walReaders: Range<Int32> = 4..<8

    /// A request for exclusive locks, or their release.
    static func exclusive(_ slots: Range<Int32>, isLocking: Bool) -> IndexLock {
        IndexLock(slots: slots, isLocking: isLocking, isExclusive: true)
    }
}

/// Changes what the engine's requests for locks do.
protocol FileLockRule: AnyObject {
    /// - Parameter proceed: Does what is given to it, and returns the engine's result code.
    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32

    /// - Parameter level: The lock that the engine wants on the file, one of `SQLITE_LOCK_SHARED` to
    ///   `SQLITE_LOCK_EXCLUSIVE`.
    func lockFile(_ level: Int32, _ proceed: (Int32) -> Int32) -> Int32
}

extension FileLockRule {
    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 { proceed(lock) }
    func lockFile(_ level: Int32, _ proceed: (Int32) -> Int32) -> Int32 { proceed(level) }
}

/// Stands between the engine and a file of its own, at the methods that lock and that read.
///
/// See SQLite's documentation, "OS Interface File Virtual Methods Object" (sqlite.org/c3ref/io_methods.html).
struct FileMethods {
    typealias File = UnsafeMutablePointer<sqlite3_file>

    /// What the engine calls; the first member, since the engine takes the address of the whole for this one's.
    private var methods: sqlite3_io_methods
    private let original: UnsafePointer<sqlite3_io_methods>
    private var rules: [any FileLockRule] = []
    /// Whether a page of zeros gets a byte that is not zero.
    var refusesZeroPages = false

    /// The newest form of the methods that is known here.
    private static let form: Int32 = 3
    private static let smallestPage: Int32 = 512

    /// Takes the place of a file's methods until the engine closes it, if that has not been done.
    ///
    /// - Returns: Nil for a file that has no such methods, such as one in memory.
    static func install(on file: File) -> UnsafeMutablePointer<FileMethods>? {
        if let installed = of(file) { return installed }
        guard let original = file.pointee.pMethods, original.pointee.iVersion >= form, original.pointee.xShmLock != nil
        else { return nil }
        let own = UnsafeMutablePointer<FileMethods>.allocate(capacity: 1)
        own.initialize(to: FileMethods(original))
        file.pointee.pMethods = UnsafeRawPointer(own).assumingMemoryBound(to: sqlite3_io_methods.self)
        return own
    }

    /// What stands between the engine and a file; nil where nothing does.
    static func of(_ file: File) -> UnsafeMutablePointer<FileMethods>? {
        guard let methods = file.pointee.pMethods, address(methods.pointee.xClose) == address(close) else { return nil }
        return UnsafeMutableRawPointer(mutating: UnsafeRawPointer(methods)).assumingMemoryBound(to: FileMethods.self)
    }

    /// The methods of a file as the operating system's interface has them, by which it is read as it is.
    static func original(of file: File) -> UnsafePointer<sqlite3_io_methods>? {
        of(file)?.pointee.original ?? file.pointee.pMethods.map { UnsafePointer($0) }
    }

    /// Adds a rule, which is asked before those that are there.
    mutating func add(_ rule: any FileLockRule) {
        rules.insert(rule, at: 0)
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
            let lock = IndexLock(
                slots: first..<(first + count), isLocking: flags & SQLITE_SHM_LOCK != 0,
                isExclusive: flags & SQLITE_SHM_EXCLUSIVE != 0)
            return own.pointee.lockIndex(file, lock, rule: 0)
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

    private func lockIndex(_ file: File, _ lock: IndexLock, rule: Int) -> Int32 {
        guard rule == rules.count else {
            return rules[rule].lockIndex(lock) { lockIndex(file, $0, rule: rule + 1) }
        }
        let flags =
            (lock.isLocking ? SQLITE_SHM_LOCK : SQLITE_SHM_UNLOCK)
            | (lock.isExclusive ? SQLITE_SHM_EXCLUSIVE : SQLITE_SHM_SHARED)
        return original.pointee.xShmLock(file, lock.slots.lowerBound, Int32(lock.slots.count), flags)
    }

    private func lockFile(_ file: File, _ level: Int32, rule: Int) -> Int32 {
        guard rule == rules.count else {
            return rules[rule].lockFile(level) { lockFile(file, $0, rule: rule + 1) }
        }
        return original.pointee.xLock(file, level)
    }

    private func read(
        _ file: File, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: sqlite3_int64
    ) -> Int32 {
        let result = original.pointee.xRead(file, buffer, count, offset)
        // Pages alone are read in such lengths; what lies behind the file's end has another result.
        guard refusesZeroPages, result == SQLITE_OK, count >= Self.smallestPage, count & (count - 1) == 0, let buffer,
            Self.isZero(buffer, Int(count))
        else { return result }
        buffer.storeBytes(of: 1, as: UInt8.self)
        return result
    }

    private static func isZero(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        // Nearly always the first look is enough.
        guard buffer.loadUnaligned(as: UInt64.self) == 0 else { return false }
        return stride(from: 0, to: count, by: 8).allSatisfy {
            buffer.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == 0
        }
    }
}
