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
/// A writer that finds no file writes nothing. A holder has a shared lock on the file. Whoever can lock it exclusively
/// instead removes it: the last holder, and a writer or an opening that finds a file that a killed process has left.
///
/// A file of this kind is a help: without it, or with a damaged one, its readers know less, and nothing is wrong. So
/// failures are not reported. Only one process at a time may write.
final class RecordRing: Sendable {
    /// Bytes of a record.
    static let recordLength = 256
    /// The records that are kept.
    static let capacity = 1_024

    private struct State {
        /// The file that was opened to write.
        var file: Opened?
        /// The held file.
        var held: Opened?
    }

    private struct Opened {
        let identity: FileStatus.Identity
        let descriptor: Descriptor
        /// The records that were written since it was last checked whether a process holds the file.
        var count = 0
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
        // Here the system ends an app that is suspended while it holds a lock on a file of its app group.
        #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
        let opened = Self.hold(path, of: database)
        state.withLock { $0.held = opened }
        #endif
    }

    /// Holds the file again if another one lies at the path now, or none.
    func renew() {
        guard let held = state.withLock({ $0.held }), held.identity != Self.identity(at: path) else { return }
        hold()
    }

    /// Removes the file if this process is the last that holds it.
    func release() {
        guard let held = state.withLock({ $0.held.take() }) else { return }
        Self.remove(held.descriptor, path)
    }

    private static func hold(_ path: String, of database: String) -> Opened? {
        for _ in 0..<attempts {
            do {
                guard let descriptor = try openOrCreate(path, of: database) else { return nil }
                if flock(descriptor.number, LOCK_SH | LOCK_NB) == 0 {
                    let status = try FileStatus.of(descriptor.number, path)
                    if status.identity == identity(at: path) {
                        guard status.links == 1, hasMark(descriptor, status) else { return nil }
                        return Opened(identity: status.identity, descriptor: descriptor)
                    }
                    // It was removed meanwhile.
                    continue
                }
            } catch let error as StrongroomError where error.code == .fileMissing {
                continue
            } catch {
                return nil
            }
            // A process checks whether the file is held.
            usleep(pause)
        }
        return nil
    }

    /// - Returns: Nil if the file cannot be created.
    private static func openOrCreate(_ path: String, of database: String) throws -> Descriptor? {
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if created >= 0 {
            let descriptor = Descriptor(created)
            try FileLock.setAccess(created, path, like: database)
            return descriptor
        }
        guard errno == EEXIST, isPlain(path) else { return nil }
        return Descriptor(try FileSystem.openFile(path, O_RDWR, followsLinks: false))
    }

    /// Whether the path has one regular file with one name: closing a second name of the database would drop the locks
    /// that the engine holds on it.
    private static func isPlain(_ path: String) -> Bool {
        guard let status = try? FileStatus.ofName(path) else { return true }
        return status.isRegularFile && status.links == 1
    }

    /// Whether the file begins as one of this kind; a new one is made to.
    private static func hasMark(_ descriptor: Descriptor, _ status: FileStatus) -> Bool {
        if status.size == 0 {
            var header = mark
            header += [UInt8](repeating: 0, count: headerLength - mark.count)
            return pwrite(descriptor.number, header, headerLength, 0) == headerLength
        }
        var beginning = [UInt8](repeating: 0, count: mark.count)
        return pread(descriptor.number, &beginning, mark.count, 0) == mark.count && beginning == mark
    }

    /// Removes a file that no process holds.
    static func removeIfUnused(_ path: String) {
        guard let status = try? FileStatus.ofName(path), status.isRegularFile, status.links == 1,
            let number = try? FileSystem.openFile(path, O_RDWR, followsLinks: false)
        else { return }
        remove(Descriptor(number), path)
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

    /// Writes a record if a process holds the file; to be called by one process at a time.
    ///
    /// - Parameter make: The record's bytes; called if it is to be written.
    func append(_ make: () -> [UInt8]) {
        guard let identity = Self.identity(at: path), let descriptor = fileToWrite(identity) else {
            // A removed file stays open otherwise.
            return state.withLock { $0.file = nil }
        }
        let record = make()
        guard record.count == Self.recordLength, var count = Self.count(descriptor) else { return }
        let position = Self.headerLength + Int(count % UInt64(Self.capacity)) * Self.recordLength
        guard pwrite(descriptor.number, record, record.count, off_t(position)) == record.count else { return }
        count += 1
        _ = pwrite(descriptor.number, &count, MemoryLayout<UInt64>.size, off_t(Self.mark.count))
    }

    private static func count(_ descriptor: Descriptor) -> UInt64? {
        var count: UInt64 = 0
        let size = MemoryLayout<UInt64>.size
        return pread(descriptor.number, &count, size, off_t(mark.count)) == size ? count : nil
    }

    /// The file with this identity, opened if it is another one than the last.
    private func fileToWrite(_ identity: FileStatus.Identity) -> Descriptor? {
        let known = state.withLock { state -> Opened? in
            guard state.file?.identity == identity else { return nil }
            state.file?.count += 1
            return state.file
        }
        if let known, known.count % Self.checkInterval != 0 { return known.descriptor }
        guard let descriptor = Self.openToWrite(path, identity) else { return nil }
        state.withLock { $0.file = Opened(identity: identity, descriptor: descriptor) }
        return descriptor
    }

    /// - Returns: Nil for a file that is not of this kind, or that no process holds.
    private static func openToWrite(_ path: String, _ identity: FileStatus.Identity) -> Descriptor? {
        guard isPlain(path), let number = try? FileSystem.openFile(path, O_RDWR, followsLinks: false) else {
            return nil
        }
        let descriptor = Descriptor(number)
        guard let status = try? FileStatus.of(number, path), status.identity == identity, status.links == 1,
            status.size >= headerLength, hasMark(descriptor, status), !remove(descriptor, path)
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
