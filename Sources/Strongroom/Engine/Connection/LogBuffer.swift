import CSQLCipher
import Foundation

/// Collects what the engine appends to the WAL during a transaction, so that many frames are written with one call.
///
/// The engine writes each frame with two calls, for its header and for its page ("WAL-mode File Format", section 1.1,
/// sqlite.org/walformat.html), which takes as long as encrypting the page. Other connections and processes read only
/// committed frames, so these must be in the file when the last one of a transaction has been written; until then the
/// only reader is the connection itself. Only the holder of the write lock appends, so the buffer is in use only while
/// the lock is held, and is empty before and after.
///
/// A failure to write can concern frames that the engine takes for written. Until the end of the transaction, it gets
/// the same failure again for every write, so that it cannot commit, and when it reads such a frame.
final class LogBuffer {
    /// In bytes; the largest page, of 64 KiB, must fit.
    static let capacity = 64 << 10
    private static let frameHeader = 24
    /// The position in a frame's header of the number of pages after the commit; 0 if the frame is not a commit's last.
    private static let pagesAfterCommit = 4

    /// Writes bytes to the file; returns the engine's result code.
    private let writeToFile: (UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32
    /// Whether the connection has the write lock and has not committed yet.
    private var isInUse = true
    private var bytes: UnsafeMutableRawPointer?
    /// The position of the first byte in the file.
    private var start: Int64 = 0
    private var count = 0
    /// The end of what was written in this transaction; what is written before it changes earlier frames.
    private var end: Int64 = 0
    /// Whether the newest frame is the last one of a commit.
    private var isCommitting = false
    /// The first position that could not be written, and the engine's result code.
    private var failure: (offset: Int64, code: Int32, systemError: Int32)?

    init(write: @escaping (UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32) { writeToFile = write }

    deinit { bytes?.deallocate() }

    /// Called instead of a write.
    func write(_ added: UnsafeRawPointer, _ length: Int, at offset: Int64) -> Int32 {
        if failure != nil { return repeatedFailure() }
        // Frames that the transaction has written before, or that a savepoint has undone.
        guard isInUse, offset >= end else {
            let result = flush()
            return result == SQLITE_OK ? writeToFile(added, length, offset) : result
        }
        end = offset + Int64(length)
        let isHeader = length == Self.frameHeader
        if isHeader {
            isCommitting = added.loadUnaligned(fromByteOffset: Self.pagesAfterCommit, as: UInt32.self) != 0
        }
        if offset != start + Int64(count) || count + length > Self.capacity {
            let result = flush()
            guard result == SQLITE_OK else { return result }
        }
        guard length <= Self.capacity else { return writeToFile(added, length, offset) }
        let bytes = bytes ?? .allocate(byteCount: Self.capacity, alignment: 16)
        self.bytes = bytes
        if count == 0 { start = offset }
        (bytes + count).copyMemory(from: added, byteCount: length)
        count += length
        guard isCommitting, !isHeader else { return SQLITE_OK }
        // Everything after it goes to the file at once: the engine fills the disk's last sector before it syncs.
        isInUse = false
        return flush()
    }

    /// Writes what is missing in the file.
    func flush() -> Int32 {
        if failure != nil { return repeatedFailure() }
        guard count > 0, let bytes else { return SQLITE_OK }
        let result = writeToFile(bytes, count, start)
        if result != SQLITE_OK { failure = (start, result, errno) }
        count = 0
        return result
    }

    /// Called before a read; nil to read from the file.
    ///
    /// Copies from the buffer: if the buffer had to be written first, a full disk would be met by a read, after which
    /// the engine decrypts what it has not received.
    func read(_ buffer: UnsafeMutableRawPointer, _ length: Int, at offset: Int64) -> Int32? {
        let end = offset + Int64(length)
        if let failure { return end > failure.offset ? repeatedFailure() : nil }
        guard count > 0, end > start, let bytes else { return nil }
        guard offset >= start, end <= start + Int64(count) else {
            let result = flush()
            return result == SQLITE_OK ? nil : result
        }
        buffer.copyMemory(from: bytes + Int(offset - start), byteCount: length)
        return SQLITE_OK
    }

    /// Called when the connection acquires the write lock in the WAL index.
    func beginWriting() {
        isInUse = true
    }

    /// Called when it gives the write lock up: forgets frames that no commit has followed, and frees the memory.
    func endWriting() {
        bytes?.deallocate()
        bytes = nil
        (count, end) = (0, 0)
        failure = nil
        (isCommitting, isInUse) = (false, false)
    }

    private func repeatedFailure() -> Int32 {
        guard let failure else { return SQLITE_OK }
        errno = failure.systemError
        return failure.code
    }
}

extension Connection {
    /// Makes the engine's writes to the WAL go through a buffer; to be called in a write transaction. Without effect
    /// on a connection without a WAL, or that does not request locks in the WAL's index.
    func bufferLog() {
        guard let methods = openFile(SQLITE_FCNTL_FILE_POINTER).flatMap(FileMethods.of), methods.pointee.holdsWriteLock,
            !hasLogBuffer, let log = openFile(SQLITE_FCNTL_JOURNAL_POINTER), let own = FileMethods.install(on: log)
        else { return }
        methods.pointee.writeRuleOfLog = own.pointee.bufferWrites(to: log)
    }

    /// Whether the writes to the WAL go through a buffer.
    var hasLogBuffer: Bool {
        openFile(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(FileMethods.of)?.pointee.writeRule != nil
    }
}
