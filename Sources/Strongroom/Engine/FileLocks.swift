import CSQLCipher

/// A request of the engine's for slots of the WAL's index («WAL-mode File Format», section 2.3.1,
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

/// Stands between the engine and a file of its own, at the methods that lock.
///
/// See SQLite's documentation, "OS Interface File Virtual Methods Object" (sqlite.org/c3ref/io_methods.html).
struct FileLocks {
    private typealias File = UnsafeMutablePointer<sqlite3_file>

    /// What the engine calls; the first member, since the engine takes the address of the whole for this one's.
    private var methods: sqlite3_io_methods
    private let original: UnsafePointer<sqlite3_io_methods>
    private var rules: [any FileLockRule] = []

    /// Takes the place of the methods of a file that was just opened, until the engine closes it.
    ///
    /// - Returns: Nil for a file that is not locked so, such as one in memory.
    static func install(on file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<FileLocks>? {
        guard let original = file.pointee.pMethods, original.pointee.iVersion >= 2, original.pointee.xShmLock != nil
        else { return nil }
        let locks = UnsafeMutablePointer<FileLocks>.allocate(capacity: 1)
        locks.initialize(to: FileLocks(original))
        file.pointee.pMethods = UnsafeRawPointer(locks).assumingMemoryBound(to: sqlite3_io_methods.self)
        return locks
    }

    /// Adds a rule, which is asked before those that are there.
    mutating func add(_ rule: any FileLockRule) {
        rules.insert(rule, at: 0)
    }

    private init(_ original: UnsafePointer<sqlite3_io_methods>) {
        methods = original.pointee
        self.original = original
        methods.xShmLock = { file, first, count, flags in
            guard let file else { return SQLITE_MISUSE }
            let lock = IndexLock(
                slots: first..<(first + count), isLocking: flags & SQLITE_SHM_LOCK != 0,
                isExclusive: flags & SQLITE_SHM_EXCLUSIVE != 0)
            return FileLocks.of(file).pointee.lockIndex(file, lock, rule: 0)
        }
        methods.xLock = { file, level in
            guard let file else { return SQLITE_MISUSE }
            return FileLocks.of(file).pointee.lockFile(file, level, rule: 0)
        }
        methods.xClose = { file in
            guard let file else { return SQLITE_MISUSE }
            return FileLocks.remove(from: file).pointee.xClose(file)
        }
    }

    private static func of(_ file: File) -> UnsafeMutablePointer<FileLocks> {
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer(file.pointee.pMethods))
            .assumingMemoryBound(to: FileLocks.self)
    }

    /// - Returns: The methods that the file had before.
    private static func remove(from file: File) -> UnsafePointer<sqlite3_io_methods> {
        let locks = of(file)
        let original = locks.pointee.original
        file.pointee.pMethods = original
        locks.deinitialize(count: 1)
        locks.deallocate()
        return original
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
}
