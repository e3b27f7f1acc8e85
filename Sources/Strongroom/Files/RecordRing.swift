import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The last records that processes have written to a file beside a database, which exists while a process holds it.
///
/// A writer that finds no file writes nothing. A holder has a shared lock on the file. A process that can lock
/// it exclusively removes it: the last holder, and a writer or an opening that finds what a killed process has left.
///
/// A file of this kind is a help: without it, or with a damaged one, its readers know less, and nothing is wrong. So
/// failures are not reported. A file that another user may have put there is not used. Only one process at a time may
/// write.
final class RecordRing: Sendable {
    /// Bytes of a record.
    static let recordLength = 256
    /// The records that are kept.
    static let capacity = 1_024

    private struct State {
        /// The file that was opened to write.
        var file: Opened?
        /// The held file; nil also if holding it has failed.
        var held: Opened?
        /// Whether the file is to be held.
        var isWanted = false
    }

    private struct Opened {
        let identity: FileStatus.Identity
        let descriptor: Descriptor
        /// How often it was prepared since it was last checked whether a process holds it.
        var uses = 0
        /// The number of records in it so far.
        var count: UInt64 = 0
    }

    /// Closes the file when it is released.
    private final class Descriptor: Sendable {
        let number: Int32

        init(_ number: Int32) {
            self.number = number
        }

        deinit {
            close(number)
        }
    }

    private let path: String
    private let database: String
    private let state = Locked(State())

    /// The first bytes of the file, with the version of its form; the number of records so far follows.
    private static let mark = Array("strongroom log 1".utf8)
    private static let headerLength = 64
    /// The records that are read at once.
    private static let batch = 32
    private static let checkInterval = 1_024
    /// The number of records from which a file is damaged.
    private static let maxCount: UInt64 = 1 << 62
    private static let attempts = 20
    /// Microseconds between two attempts.
    private static let pause: UInt32 = 1_000

    /// - Parameters:
    ///   - path: The path of the file.
    ///   - database: The file of the database. Every user who may write it may use this file.
    init(_ path: String, of database: String) {
        self.path = path
        self.database = database
    }

    // MARK: Holding

    /// Holds the file, which is created if there is none; until ``release()``.
    func hold() {
        state.withLock { $0.isWanted = true }
        acquire()
    }

    /// Holds the file again if another one lies at the path now, or none, or if holding it has failed before.
    func renew() {
        let (isWanted, held) = state.withLock { ($0.isWanted, $0.held) }
        guard isWanted, held == nil || held?.identity != Self.identity(at: path) else { return }
        acquire()
    }

    /// Removes the file if this process is the last that holds it.
    func release() {
        let held = state.withLock { state in
            state.isWanted = false
            return state.held.take()
        }
        if let held { Self.remove(held.descriptor, path) }
    }

    /// Whether the file is held; false also if holding it has failed.
    var isHeld: Bool { state.withLock { $0.held != nil } }

    private func acquire() {
        // Here the system ends an app that is suspended while it holds a lock on a file of its app group.
        #if os(Linux) || os(macOS)
        keep(Self.hold(path, of: database))
        #endif
    }

    /// Keeps a held file, unless it was released meanwhile.
    private func keep(_ opened: Opened?) {
        let unwanted = state.withLock { state -> Opened? in
            guard state.isWanted else { return opened }
            state.held = opened
            return nil
        }
        if let unwanted { Self.remove(unwanted.descriptor, path) }
    }

    private static func hold(_ path: String, of database: String) -> Opened? {
        for _ in 0..<attempts {
            do {
                guard let (descriptor, isNew) = try openOrCreate(path, of: database) else { return nil }
                guard flock(descriptor.number, LOCK_SH | LOCK_NB) == 0 else {
                    guard errno == EWOULDBLOCK else {
                        if isNew { discard(descriptor, path) }
                        return nil
                    }
                    // A process checks whether the file is held.
                    usleep(pause)
                    continue
                }
                let status = try FileStatus.of(descriptor.number, path)
                // Otherwise it was removed meanwhile.
                guard status.identity == identity(at: path) else { continue }
                guard status.isTrusted(beside: database) else {
                    if isNew { discard(descriptor, path) }
                    return nil
                }
                let isUsable = hasMark(descriptor, status) || status.size == 0 && addMark(descriptor)
                guard isUsable else {
                    if isNew { discard(descriptor, path) }
                    return nil
                }
                return Opened(identity: status.identity, descriptor: descriptor)
            } catch let error as StrongroomError where error.code == .fileMissing {
                continue
            } catch {
                return nil
            }
        }
        return nil
    }

    /// - Returns: Nil if the file cannot be created.
    private static func openOrCreate(
        _ path: String, of database: String
    ) throws -> (descriptor: Descriptor, isNew: Bool)? {
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if created >= 0 {
            let descriptor = Descriptor(created)
            do {
                try FileLock.setAccess(created, path, like: database)
            } catch {
                discard(descriptor, path)
                throw error
            }
            return (descriptor, true)
        }
        guard errno == EEXIST, isPlain(path) else { return nil }
        return (Descriptor(try FileSystem.openFile(path, O_RDWR, followsLinks: false)), false)
    }

    /// Removes a new file that cannot be held.
    private static func discard(_ descriptor: Descriptor, _ path: String) {
        guard let status = try? FileStatus.of(descriptor.number, path), status.identity == identity(at: path) else {
            return
        }
        unlink(path)
    }

    /// Whether the path has one regular file with one name: closing a second name of the database would drop the locks
    /// that the engine holds on it.
    private static func isPlain(_ path: String) -> Bool {
        guard let status = try? FileStatus.ofName(path) else { return true }
        return status.isRegularFile && status.links == 1
    }

    /// Whether the file begins as one of this kind.
    private static func hasMark(_ descriptor: Descriptor, _ status: FileStatus) -> Bool {
        guard status.size >= headerLength else { return false }
        var beginning = [UInt8](repeating: 0, count: mark.count)
        return pread(descriptor.number, &beginning, mark.count, 0) == mark.count && beginning == mark
    }

    private static func addMark(_ descriptor: Descriptor) -> Bool {
        let header = mark + [UInt8](repeating: 0, count: headerLength - mark.count)
        return pwrite(descriptor.number, header, headerLength, 0) == headerLength
    }

    /// Removes a file that no process holds.
    ///
    /// - Parameter database: The file of the database.
    static func removeIfUnused(_ path: String, of database: String) {
        guard isPlain(path), let number = try? FileSystem.openFile(path, O_RDWR, followsLinks: false) else { return }
        let descriptor = Descriptor(number)
        guard let status = try? FileStatus.of(number, path), status.isTrusted(beside: database),
            // Its process was killed before it wrote the beginning.
            status.size == 0 || hasMark(descriptor, status)
        else { return }
        remove(descriptor, path)
    }

    /// - Returns: Whether no other process holds it.
    @discardableResult
    private static func remove(_ descriptor: Descriptor, _ path: String) -> Bool {
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        if let status = try? FileStatus.of(descriptor.number, path), status.identity == identity(at: path) {
            unlink(path)
        }
        return true
    }

    private static func identity(at path: String) -> FileStatus.Identity? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileStatus.Identity(status) : nil
    }

    // MARK: Writing

    /// Prepares to write records; to be called by one process at a time, which then writes until another one may.
    ///
    /// - Returns: Whether a process holds the file, so that records are to be written.
    func prepare() -> Bool {
        guard let identity = Self.identity(at: path), let descriptor = fileToWrite(identity),
            let count = Self.count(descriptor)
        else {
            // A removed file stays open otherwise.
            state.withLock { $0.file = nil }
            return false
        }
        state.withLock { $0.file?.count = count }
        return true
    }

    /// Writes a record to the file that was prepared, if there is one.
    func append(_ record: [UInt8]) {
        guard record.count == Self.recordLength, let file = state.withLock({ $0.file }) else { return }
        let position = Self.headerLength + Int(file.count % UInt64(Self.capacity)) * Self.recordLength
        let number = file.descriptor.number
        guard pwrite(number, record, record.count, off_t(position)) == record.count else { return }
        var count = file.count &+ 1
        _ = pwrite(number, &count, MemoryLayout<UInt64>.size, off_t(Self.mark.count))
        state.withLock { $0.file?.count = count }
    }

    /// - Returns: Nil if it cannot be read, or cannot be the number of records.
    private static func count(_ descriptor: Descriptor) -> UInt64? {
        var count: UInt64 = 0
        let size = MemoryLayout<UInt64>.size
        guard pread(descriptor.number, &count, size, off_t(mark.count)) == size, count < maxCount else { return nil }
        return count
    }

    /// The file with this identity, opened if it is another one than the last.
    private func fileToWrite(_ identity: FileStatus.Identity) -> Descriptor? {
        let known = state.withLock { state -> Opened? in
            guard state.file?.identity == identity else { return nil }
            state.file?.uses += 1
            return state.file
        }
        if let known, known.uses % Self.checkInterval != 0 { return known.descriptor }
        guard let descriptor = openToWrite(identity) else { return nil }
        state.withLock { $0.file = Opened(identity: identity, descriptor: descriptor) }
        return descriptor
    }

    /// - Returns: Nil for a file that is not of this kind, or that no process holds.
    private func openToWrite(_ identity: FileStatus.Identity) -> Descriptor? {
        guard Self.isPlain(path), let number = try? FileSystem.openFile(path, O_RDWR, followsLinks: false) else {
            return nil
        }
        let descriptor = Descriptor(number)
        guard let status = try? FileStatus.of(number, path), status.identity == identity,
            status.isTrusted(beside: database), Self.hasMark(descriptor, status), !Self.remove(descriptor, path)
        else { return nil }
        return descriptor
    }

    // MARK: Reading

    /// Reads the records of the held file, from the newest to the oldest.
    ///
    /// - Parameter body: Called with each record; returns whether the next one is needed.
    func readBackwards(_ body: (UnsafeRawBufferPointer) -> Bool) {
        guard let held = state.withLock({ $0.held }), let count = Self.count(held.descriptor) else { return }
        let oldest = count - min(count, UInt64(Self.capacity))
        var end = count
        withUnsafeTemporaryAllocation(byteCount: Self.batch * Self.recordLength, alignment: 16) { bytes in
            while end > oldest {
                // Those that are next to each other in the file.
                let position = Int((end - 1) % UInt64(Self.capacity))
                let length = min(Self.batch, position + 1, Int(end - oldest))
                let start = Self.headerLength + (position + 1 - length) * Self.recordLength
                let size = length * Self.recordLength
                guard pread(held.descriptor.number, bytes.baseAddress, size, off_t(start)) == size else { return }
                for index in (0..<length).reversed() {
                    let record = bytes[index * Self.recordLength..<(index + 1) * Self.recordLength]
                    guard body(UnsafeRawBufferPointer(rebasing: record)) else { return }
                }
                end -= UInt64(length)
            }
        }
    }
}
