import CSQLCipher

/// Collects what the engine appends to the WAL during a transaction, so that many frames are written with one call.
///
/// The engine writes each frame with two calls, for its header and for its page ("WAL-mode File Format", section 1.1,
/// sqlite.org/walformat.html), which takes as long as encrypting the page. Other connections and processes read only
/// committed frames, so these must be in the file when the last one of a transaction has been written; until then the
/// only reader is the connection itself.
///
/// A failure to write can concern frames that the engine takes for written. Until the end of the transaction, it gets
/// the same failure again for every write, so that it cannot commit, and when it reads such a frame.
final class LogBuffer {
    /// Writes to the file: bytes, their number and their position.
    typealias Write = (UnsafeRawPointer, Int32, Int64) -> Int32

    /// In bytes; the largest page, of 64 KiB, must fit.
    static let capacity = 64 << 10
    private static let frameHeader = 24
    /// The position in a frame's header of the number of pages after the commit; 0 if the frame is not a commit's last.
    private static let pagesAfterCommit = 4

    private var bytes: UnsafeMutableRawPointer?
    /// The position of the first byte in the file.
    private var start: Int64 = 0
    private var count = 0
    /// The end of what was written in this transaction; what is written before it changes earlier frames.
    private var end: Int64 = 0
    /// Whether the newest frame is the last one of a commit.
    private var isCommitting = false
    /// The first position that could not be written, and the engine's result code.
    private var failure: (offset: Int64, code: Int32)?

    deinit { bytes?.deallocate() }

    /// Appends to the buffer, and writes its content when it is full, or when a commit is complete.
    ///
    /// - Returns: The engine's result code, also for what was appended before.
    func write(_ added: UnsafeRawPointer, _ length: Int32, at offset: Int64, _ write: Write) -> Int32 {
        if let failure { return failure.code }
        guard offset >= end else {
            // Frames that the transaction has written before, or that a savepoint has undone.
            let result = flush(write)
            return result == SQLITE_OK ? write(added, length, offset) : result
        }
        end = offset + Int64(length)
        let length = Int(length)
        let isHeader = length == Self.frameHeader
        if isHeader {
            isCommitting = added.loadUnaligned(fromByteOffset: Self.pagesAfterCommit, as: UInt32.self) != 0
        }
        if offset != start + Int64(count) || count + length > Self.capacity {
            let result = flush(write)
            guard result == SQLITE_OK else { return result }
        }
        guard length <= Self.capacity else { return write(added, Int32(length), offset) }
        let bytes = bytes ?? .allocate(byteCount: Self.capacity, alignment: 16)
        self.bytes = bytes
        if count == 0 { start = offset }
        (bytes + count).copyMemory(from: added, byteCount: length)
        count += length
        return isCommitting && !isHeader ? flush(write) : SQLITE_OK
    }

    /// Writes the content.
    ///
    /// - Returns: The engine's result code.
    func flush(_ write: Write) -> Int32 {
        if let failure { return failure.code }
        guard count > 0, let bytes else { return SQLITE_OK }
        let result = write(bytes, Int32(count), start)
        if result != SQLITE_OK { failure = (start, result) }
        count = 0
        return result
    }

    /// To be called before the file is read.
    ///
    /// - Returns: The engine's result code.
    func prepareToRead(_ length: Int32, at offset: Int64, _ write: Write) -> Int32 {
        if let failure { return offset + Int64(length) > failure.offset ? failure.code : SQLITE_OK }
        return offset + Int64(length) > start ? flush(write) : SQLITE_OK
    }

    /// Forgets frames that no commit has followed, when the write lock is given up, and frees the memory.
    func forget() {
        bytes?.deallocate()
        bytes = nil
        count = 0
        end = 0
        failure = nil
        isCommitting = false
    }
}

extension Connection {
    /// Makes the engine's writes to the WAL go through a buffer; to be called in a write transaction. Without effect
    /// on a connection without a WAL, or without locks in the WAL's index.
    func bufferLog() {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var log: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = FileMethods.of(file), methods.pointee.isIndexOpen,
            sqlite3_file_control(pointer, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log,
            log.pointee.pMethods != nil, let logMethods = FileMethods.install(on: log)
        else { return }
        guard logMethods.pointee.buffer == nil else { return }
        let buffer = LogBuffer()
        logMethods.pointee.bufferWrites(buffer)
        methods.pointee.bufferOfLog = buffer
    }
}
