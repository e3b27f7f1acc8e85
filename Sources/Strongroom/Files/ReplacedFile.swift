#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that another one replaces at its path, or that is removed.
///
/// A program that does not use the library's locks may have opened it just before the rename. Its descriptor refers to
/// the old inode, but it finds `-wal` and `-shm` by name: it would attach to the new file's WAL, and its checkpoint
/// would copy frames to an unlinked file and count them as checkpointed ("How To Corrupt An SQLite Database File",
/// section 2.5, sqlite.org/howtocorrupt.html). The header of the old file is therefore overwritten with random bytes,
/// and its locks are held as long as such a program has it open: that program's operations fail with "file is not a
/// database" or "database is locked".
///
/// Closing the descriptor drops the engine's locks on the same inode, so the engine's connection is closed first.
final class ReplacedFile: Sendable {
    let path: String
    let identity: FileStatus.Identity
    private let file: PlainFile

    init(_ path: String) throws {
        self.path = path
        file = try PlainFile(path, isWritable: true, followsLinks: false)
        identity = try file.status().identity
    }

    /// Opens the file at a path; nil unless it is a regular file that this user may write.
    static func at(_ path: String) throws -> ReplacedFile? {
        guard try FileStatus.ofName(path)?.isRegularFile == true else { return nil }
        do {
            return try ReplacedFile(path)
        } catch let error as StrongroomError where [.fileMissing, .permissionDenied].contains(error.code) {
            return nil
        }
    }

    /// Replaces a file atomically by a finished one, and makes the old one unusable for programs that opened it at the
    /// last moment.
    ///
    /// - Parameters:
    ///   - old: The file at the path; nil if there is none, or it cannot be opened.
    ///   - names: The number of further names that the library has given the old file.
    ///   - connection: A connection with exclusive access to the old file, which is closed.
    ///   - rename: Moves the finished file to the path.
    ///   - whenReplaced: Called before the directory is flushed.
    ///   - whenClosed: Called when the connection is closed.
    static func replace(
        _ old: ReplacedFile?, at path: String, names: Int = 0, closing connection: Connection? = nil,
        rename: () throws -> Void, whenReplaced: () throws -> Void = {}, whenClosed: () throws -> Void = {}
    ) throws {
        // Before the descriptor, because closing that drops the connection's locks.
        defer { connection?.close() }
        try rename()
        do {
            try whenReplaced()
            try FileSystem.settle(path)
            try old?.invalidate(names: names)
        } catch {
            connection?.close()
            // The first failure is reported; other processes that have the file open are locked out nevertheless.
            try? old?.retire()
            throw error
        }
        connection?.close()
        try whenClosed()
        try old?.retire()
    }

    /// In bytes. Covers the header; a page is authenticated in one unit, so part of a larger page is enough.
    private static let beginning = 4096

    /// Overwrites the beginning of the file with random bytes. Call it after the directory is flushed, since a power
    /// failure might otherwise restore it, and while the engine's exclusive lock or that of ``lock()`` is
    /// held. The file is not truncated: for an empty file the engine removes the WAL beside the path.
    ///
    /// - Parameter names: The number of hard links that belong to the library. A file with more is in use by others and
    ///   is not changed.
    func invalidate(names: Int = 0) throws {
        let status = try file.status()
        guard status.links <= names else { return }
        var generator = SystemRandomNumberGenerator()
        let count = min(Int(status.size), Self.beginning)
        // Each number is a system call; a few of them, repeated, are no page either.
        let numbers = (0..<8).map { _ in generator.next() }
        let noise = (0..<Self.beginning / 8).map { numbers[$0 % numbers.count] }
        try noise.withUnsafeBytes { try file.write(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: 0) }
    }

    /// Releases the file; call it after the engine's connection is closed. While another program has the file open,
    /// this process keeps its locks.
    func retire() throws {
        let start = ContinuousClock.now
        while try !lock() {
            guard ContinuousClock.now - start < FileHolders.startOfAProcess else {
                let holders = FileHolders.describe((try? FileHolders.withOpenFile(identity)) ?? [])
                throw StrongroomError(
                    .locked,
                    """
                    Another program has a lock on the file that was replaced at \
                    "\(path)"\(holders.isEmpty ? "" : ": \(holders)"). End it: its writes would be lost, and could \
                    damage the new file.
                    """)
            }
            usleep(Self.pause)
        }
        if try isOpenElsewhere { hold() }
    }

    /// Microseconds between two attempts.
    private static let pause: UInt32 = 5_000

    // MARK: Locks

    /// Tries once to acquire all of the engine's locks, as a connection that writes in rollback mode does.
    ///
    /// - Returns: False if another connection, of this process or another, holds a lock.
    func lock() throws -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        // The PENDING, RESERVED and SHARED bytes.
        range.l_start = 0x4000_0000
        range.l_len = 512
        guard fcntl(file.descriptor, Self.setLock, &range) != 0 else { return true }
        guard errno == EAGAIN || errno == EACCES || errno == EINTR else {
            throw FileSystem.failure(errno, "cannot lock the replaced file at", path)
        }
        return false
    }

    /// Whether another process has the file open; the file has no name, so none can open it anew. False if the system
    /// does not report it.
    var isOpenElsewhere: Bool {
        get throws {
            #if os(Linux)
            // A write lease is granted only if no other process of any user has the file open. SIGURG, which is ignored
            // by default, replaces the signal for a broken lease, which would terminate this process.
            if fcntl(file.descriptor, Self.setSignal, SIGURG) == 0 {
                if fcntl(file.descriptor, Self.setLease, Int32(F_WRLCK)) == 0 {
                    _ = fcntl(file.descriptor, Self.setLease, Int32(F_UNLCK))
                    return false
                }
                if errno == EAGAIN { return true }
            }
            #endif
            return try !FileHolders.withOpenFile(identity).isEmpty
        }
    }

    #if os(Linux)
    /// `F_OFD_SETLK`, `F_SETSIG` and `F_SETLEASE`, which the C library's module does not export. An open file
    /// description lock, unlike a process lock, also excludes connections of this process.
    private static let setLock: Int32 = 37
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1_024
    #else
    private static let setLock = F_SETLK
    #endif
}

/// The replaced files that another process still has open.
extension ReplacedFile {
    private static let held = Locked<[ReplacedFile]>([])

    /// Holds the file's locks until no other process has it open, or this process ends.
    private func hold() { Self.held.withLock { $0.append(self) } }

    /// Whether the locks of a file that was at a path are held.
    static func isHeld(_ path: String) -> Bool { held.withLock { $0.contains { $0.path == path } } }

    /// Releases the files that no process has open any more.
    static func prune() {
        let all = held.withLock { $0 }
        guard !all.isEmpty else { return }
        let free = all.filter { (try? $0.isOpenElsewhere) == false }
        held.withLock { files in files.removeAll { file in free.contains { $0 === file } } }
    }
}
