import CSQLCipher

/// A state of a write-ahead log, as its index publishes it: how often it was committed to, its number of frames, the
/// running checksum of these, and its salts.
///
/// The salts are random for each run of the WAL, and the checksum covers each frame up to the last one, so that two
/// equal positions have the same content. They are the bytes 8 to 39 of the header of the WAL index ("WAL-mode File
/// Format", section 2.1, sqlite.org/walformat.html).
struct LogPosition: Hashable, BitwiseCopyable {
    /// Bytes.
    static let length = 32
    /// Bytes of the header of the WAL index, which is followed by its copy.
    static let headerLength = 48

    private let bytes: SIMD4<UInt64>

    /// - Parameter header: The header of the WAL index, or its copy.
    init(header: UnsafeRawPointer) {
        self.init(bytes: header + 8)
    }

    init(bytes: UnsafeRawPointer) {
        self.bytes = bytes.loadUnaligned(as: SIMD4<UInt64>.self)
    }

    /// Whether the WAL has salts. It has none before its first commit, when nothing in the position is random.
    var hasSalts: Bool { bytes.w != 0 }
}

/// Records the changes of the WAL that a commit, or a restart of the WAL, is about to publish.
///
/// The connection holds the WAL's write lock from ``prepare(_:)`` to ``record(_:after:to:)``.
protocol CommitRecorder: AnyObject {
    /// Called before the change is written.
    ///
    /// - Parameter tables: The tables that are to be recorded.
    func prepare(_ tables: Set<String>)

    /// Called before any other connection can see the change. The header of the WAL index differs from its copy
    /// meanwhile, so that readers wait: it must do as little as possible.
    ///
    /// - Parameters:
    ///   - tables: The tables that are changed between the two positions, and no others.
    ///   - position: The published position, which the change follows.
    func record(_ tables: Set<String>, after position: LogPosition, to newPosition: LogPosition)
}

/// Follows the positions of the WAL that a connection publishes.
///
/// To publish a change, the engine writes the header's copy, calls the memory barrier, and writes the header. Readers
/// accept a header that equals its copy. So at that barrier the copy has the new position, the header the present one,
/// and no other connection can read the change.
final class CommitWatch: FileLockRule {  // guarded by the slot, as the connection is
    /// The position up to which every commit has been reported to the observers of this process; nil if none is known.
    var known: LogPosition?
    /// The position up to which commits of others were found last; nil if it could not be read.
    var newest: LogPosition?

    private let recorder: any CommitRecorder
    private var isCommitting = false
    /// The tables of the running commit; nil if not all of them are known.
    private var tables: Set<String>?
    /// The header's copy before the running commit: a process that was killed while it published a change has left
    /// another one there than the header.
    private var copyBefore: LogPosition?
    /// Whether the connection holds the locks with which it restarts the WAL.
    private var isRestarting = false

    init(_ recorder: any CommitRecorder) {
        self.recorder = recorder
    }

    /// - Parameters:
    ///   - tables: The tables that the transaction has written, and no others; nil if that is not known.
    ///   - index: The first page of the WAL index.
    func beginCommit(of tables: Set<String>?, _ index: UnsafeRawPointer) {
        if let tables { recorder.prepare(tables) }
        isCommitting = true
        self.tables = tables
        copyBefore = LogPosition(header: index + LogPosition.headerLength)
    }

    func endCommit() {
        isCommitting = false
        tables = nil
    }

    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 {
        let isRestart = lock.slots == IndexLock.walReaders
        // The connection has the write lock already.
        if isRestart, lock.isLocking { recorder.prepare([]) }
        let result = proceed(lock)
        if isRestart { isRestarting = lock.isLocking && result == SQLITE_OK }
        // Without the write lock nothing is published: what a barrier shows then is another connection's change.
        if !lock.isLocking, lock.slots.overlaps(IndexLock.write) { isCommitting = false }
        return result
    }

    var expectsToPublish: Bool { isCommitting || isRestarting }

    func willPublish(_ index: UnsafeRawPointer) {
        let present = LogPosition(header: index)
        let next = LogPosition(header: index + LogPosition.headerLength)
        guard present != next, isRestarting || next != copyBefore else { return }
        copyBefore = next
        // A WAL is restarted when the database file has all of its content.
        let tables = isRestarting ? [] : tables
        if let tables { recorder.record(tables, after: present, to: next) }
        // The store reports its own commits itself.
        if known == present { known = next }
    }
}

extension Connection {
    /// Runs the commit of a transaction, which the watch follows.
    func watchingCommit(_ commit: () throws -> Void) throws {
        guard let watch = file.commitWatch, !transaction.tables.writes.isEmpty, let index = walIndex else {
            return try commit()
        }
        watch.beginCommit(of: transaction.allWrites, index)
        defer { watch.endCommit() }
        try commit()
    }

    /// The first page of the WAL index; only for a connection that uses a WAL.
    private var walIndex: UnsafeRawPointer? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file.flatMap { FileMethods.of($0)?.pointee.index(of: $0) }
    }

    /// Begins to follow the positions of the WAL that the connection publishes.
    func watchCommits(_ recorder: any CommitRecorder) {
        let watch = CommitWatch(recorder)
        file.commitWatch = watch
        add(watch)
    }
}
