#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The former file of a path at which another database now lies, or none.
///
/// A program that does not know the library's locks may have opened the former file just before the rename. Its handle
/// belongs to that inode, but finds `-wal` and `-shm` by name: it would attach itself to the new file's log, and its
/// checkpoint would copy frames of that into a file without a name and count them as done ("How To Corrupt An SQLite
/// Database File", section 2.5, sqlite.org/howtocorrupt.html). So its header is overwritten with noise, and as long
/// as such a program has it open, its locks are held: what that program tries ends with "file is not a database" or
/// "database is locked".
///
/// Closing the descriptor drops the engine's locks on the same inode, so the engine's connection is closed first.
final class ReplacedFile: Sendable {
    let path: String
    let identity: FileStatus.Identity
    private let descriptor: Int32

    /// Opens what lies at a path now.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileSystem.failure(errno, "cannot open", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = errno
            close(descriptor)
            throw FileSystem.failure(reason, "cannot look at", path)
        }
        identity = FileStatus.Identity(status)
    }

    /// Opens what lies at a path, if there is a regular file that this user may write.
    static func at(_ path: String) throws -> ReplacedFile? {
        guard try FileStatus.ofName(path)?.isRegularFile == true else { return nil }
        do {
            return try ReplacedFile(path)
        } catch let error as StrongroomError where [.fileMissing, .permissionDenied].contains(error.code) {
            return nil
        }
    }

    deinit {
        close(descriptor)
    }

    /// Bytes. The header lies in them, and a page is authenticated as a whole, so that of a larger one a part will do.
    private static let beginning = 4096

    /// Overwrites the beginning with noise; to be called when the directory is on the disk, since a power cut might
    /// otherwise bring the former file back, and while the engine's exclusive lock, or that of ``lock()``, is held. Not
    /// a truncation: for an empty file the engine removes the log that lies beside the path.
    ///
    /// - Parameter names: How many names it still has of the library's own; with more it is somebody else's file as
    ///   well, and stays as it is.
    func spoil(names: Int = 0) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure(errno, "cannot look at", path) }
        guard Int(status.st_nlink) <= names else { return }
        var generator = SystemRandomNumberGenerator()
        let count = min(Int(status.st_size), Self.beginning)
        let noise = (0..<Self.beginning / 8).map { _ in generator.next() }
        var done = 0
        while done < count {
            let length = noise.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done..<count])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(done))
            }
            guard length >= 0 || errno == EINTR else {
                throw FileSystem.failure(errno, "cannot overwrite what lay at", path)
            }
            done += max(length, 0)
        }
    }

    /// As ``retire()``, after something else has failed, which is to be told: the file must be kept from those who have
    /// it open all the same.
    func retireAfterFailure() {
        do {
            try retire()
        } catch {
            // What failed first counts.
        }
    }

    /// Lets go of the file; to be called when the engine's connection is closed. As long as another program has it
    /// open, its locks are held in this process.
    ///
    /// - Throws: ``StrongroomError`` with `locked` when another program has a lock on it for long.
    func retire() throws {
        let start = ContinuousClock.now
        while try !lock() {
            guard ContinuousClock.now - start < FileHolders.startOfAProcess else {
                throw StrongroomError(
                    .locked,
                    """
                    Another program has a lock on the file that lay at "\(path)" \
                    before\(Self.named(try? FileHolders.opening(identity))). End it: what it writes would be lost, and \
                    could harm what lies there now.
                    """)
            }
            usleep(Self.pause)
        }
        if try isOpenElsewhere { ReplacedFiles.shared.keep(self) }
    }

    private static func named(_ processes: [Int]?) -> String {
        guard let processes, !processes.isEmpty else { return "" }
        return ": \(FileHolders.describe(processes))"
    }

    /// Microseconds between two tries.
    private static let pause: UInt32 = 5_000

    // MARK: Locks

    /// Tries once to take every lock that the engine knows, as a connection has them that writes in rollback mode.
    ///
    /// - Returns: False when another connection has a lock, of this process or another.
    func lock() throws -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        // The bytes of PENDING, RESERVED and SHARED.
        range.l_start = 0x4000_0000
        range.l_len = 512
        guard fcntl(descriptor, Self.setLock, &range) != 0 else { return true }
        guard errno == EAGAIN || errno == EACCES || errno == EINTR else {
            throw FileSystem.failure(errno, "cannot lock what lay at", path)
        }
        return false
    }

    /// Whether anybody else has the file open; nobody can open it anew, since it has no name. Where the system does not
    /// tell: no.
    var isOpenElsewhere: Bool {
        get throws {
            #if os(Linux)
            // A lease that keeps writers out is given when nobody else has it open, of whatever user. Nobody is told of
            // its end: whoever breaks it would otherwise end this process by a signal.
            if fcntl(descriptor, Self.setSignal, SIGURG) == 0 {
                if fcntl(descriptor, Self.setLease, Int32(F_WRLCK)) == 0 {
                    _ = fcntl(descriptor, Self.setLease, Int32(F_UNLCK))
                    return false
                }
                if errno == EAGAIN { return true }
            }
            #endif
            return try !FileHolders.opening(identity).isEmpty
        }
    }

    #if os(Linux)
    /// `F_OFD_SETLK`, `F_SETSIG` and `F_SETLEASE`, which the C library's module does not show. A lock of the open file,
    /// unlike one of the process, also keeps connections of this process out.
    private static let setLock: Int32 = 37
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1_024
    #else
    private static let setLock = F_SETLK
    #endif
}

/// The replaced files that another program still has open.
final class ReplacedFiles: Sendable {
    static let shared = ReplacedFiles()

    private let files = Locked<[ReplacedFile]>([])

    /// Keeps a file's locks until nobody else has it open, or this process ends.
    func keep(_ file: ReplacedFile) {
        files.withLock { $0.append(file) }
    }

    /// Whether one is kept that lay at a path.
    func isKept(_ path: String) -> Bool {
        files.withLock { $0.contains { $0.path == path } }
    }

    /// Lets go of those that nobody has open any more.
    func prune() {
        let all = files.withLock { $0 }
        guard !all.isEmpty else { return }
        let free = all.filter { (try? $0.isOpenElsewhere) == false }
        files.withLock { files in files.removeAll { file in free.contains { $0 === file } } }
    }
}
