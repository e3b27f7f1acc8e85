#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An exclusive lock between processes, held until the value goes away.
///
/// It lies in a file of its own beside the database: opening and closing the database file itself would drop the locks
/// that the engine holds on it ("How To Corrupt An SQLite Database File", section 2.2, sqlite.org/howtocorrupt.html).
/// Only whoever holds the lock removes the lock file, along with the database; whoever has opened it before sees that,
/// and makes another one.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// Tries once to take the lock.
    ///
    /// - Parameters:
    ///   - path: The lock file; made when it is not there.
    ///   - file: What it belongs to: who may write that may take the lock, whoever made it.
    /// - Returns: The lock, or nil when another process holds it.
    /// - Throws: ``StrongroomError`` with `permissionDenied` when another user has left it, and the file system's
    ///   failure.
    static func take(_ path: String, of file: String? = nil) throws -> FileLock? {
        guard let descriptor = try descriptor(path, file) else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            let lock = FileLock(descriptor: descriptor)
            guard try lock.isStillAt(path) else {
                lock.release()
                return try take(path, of: file)
            }
            // One that another user left may have been taken in the moment in which it was removed.
            guard try !LeftLocks.shared.isHeld(path) else { return nil }
            return lock
        }
        let reason = errno
        close(descriptor)
        guard reason == EWOULDBLOCK || reason == EINTR else {
            throw FileSystem.failure(reason, "cannot lock", path)
        }
        return nil
    }

    /// Pause between two tries.
    private static let pause = Duration.milliseconds(20)

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - path: The lock file.
    ///   - file: What it belongs to.
    ///   - patience: How long it is waited for. By default as long as nobody should have it: a process that is being
    ///     started has for a moment what the one has that starts it.
    /// - Returns: The lock; nil when another process has held it all the time.
    /// - Throws: As ``take(_:of:)``; `CancellationError`.
    static func acquire(
        _ path: String, of file: String, within patience: Duration = FileHolders.startOfAProcess
    ) async throws -> FileLock? {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try take(path, of: file) { return lock }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: pause)
        }
    }

    /// - Returns: Nil when another user has made the lock file and holds it.
    private static func descriptor(_ path: String, _ file: String?) throws -> Int32? {
        while true {
            let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if created >= 0 {
                do {
                    try setAccess(created, path, like: file)
                    return created
                } catch {
                    close(created)
                    throw error
                }
            }
            guard errno == EEXIST else { throw FileSystem.failure(errno, "cannot open the lock file", path) }
            do {
                return try FileSystem.openFile(path, O_RDWR, followsLinks: false)
            } catch let error as StrongroomError where error.code == .fileMissing {
                // Whoever removed the database has removed it.
                continue
            } catch let error as StrongroomError where error.code == .permissionDenied {
                guard try LeftLocks.shared.remove(path, of: file) else { return nil }
            }
        }
    }

    /// The process's umask may have taken from the owner's permissions; nobody is to have any who may not write the
    /// file that it belongs to.
    private static func setAccess(_ descriptor: Int32, _ path: String, like file: String?) throws {
        var mode: mode_t = 0o600
        if let file, let model = try FileStatus.at(file), model.isRegularFile {
            // Only root may give it to another owner, and would otherwise lock them out; to a group of theirs all may.
            if fchown(descriptor, model.owner, model.group) != 0 { _ = fchown(descriptor, .max, model.group) }
            if try !FileAttributes.hasAccessList(file) {
                let isOfTheGroup = try FileStatus.of(descriptor, path).group == model.group
                if model.permissions & 0o020 != 0, isOfTheGroup { mode |= 0o060 }
                if model.permissions & 0o002 != 0 { mode |= 0o006 }
            }
        }
        guard fchmod(descriptor, mode) == 0 else {
            throw FileSystem.failure(errno, "cannot set the permissions of the lock file", path)
        }
    }

    private func isStillAt(_ path: String) throws -> Bool {
        try FileStatus.ofName(path)?.identity == FileStatus.of(descriptor, path).identity
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Lets the lock go; the same as the end of the value's life, at a place that can be seen.
    consuming func release() {}

    deinit {
        close(descriptor)
    }
}

/// The lock files that another user has left, as a tool of root's once did, and that this process has removed.
private final class LeftLocks: Sendable {
    static let shared = LeftLocks()

    /// By the lock file's path.
    private let nodes = Locked<[String: UInt64]>([:])

    /// Whether a process has a lock file that was removed, which it took in that moment.
    func isHeld(_ path: String) throws -> Bool {
        guard let node = nodes.withLock({ $0[path] }) else { return false }
        guard try FileHolders.locking([node])?.isEmpty ?? true else { return true }
        nodes.withLock { $0[path] = nil }
        return false
    }

    /// Removes a lock file that this user cannot open, and that nobody holds: the file that it belongs to is this
    /// user's.
    ///
    /// - Returns: False when somebody holds it.
    func remove(_ path: String, of file: String?) throws -> Bool {
        guard let left = try FileStatus.at(path) else { return true }
        let model = try file.flatMap { try FileStatus.at($0) } ?? FileStatus.at(FileSystem.directory(of: path))
        guard model?.owner == UInt32(geteuid()), left.owner != UInt32(geteuid()),
            let holders = try FileHolders.locking([left.identity.node])
        else { throw foreign(path, left) }
        guard holders.isEmpty else { return false }
        nodes.withLock { $0[path] = left.identity.node }
        guard try FileStatus.at(path)?.identity == left.identity else { return true }
        guard unlink(path) == 0 || errno == ENOENT else { throw foreign(path, left) }
        return true
    }

    private func foreign(_ path: String, _ status: FileStatus) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            """
            Strongroom cannot open the lock file "\(path)": it belongs to the user \(status.owner), and this process \
            is the user \(geteuid()). Remove it when no program has the database open; it is made anew for whoever may \
            write that.
            """)
    }
}
