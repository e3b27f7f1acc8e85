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
/// that the engine holds on it («How To Corrupt An SQLite Database File», section 2.2, sqlite.org/howtocorrupt.html).
/// Only whoever holds the lock removes the lock file, along with the database; whoever has opened it before sees that, and makes another one.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// Tries once to take the lock.
    ///
    /// - Parameter path: The lock file; made when it is not there.
    /// - Returns: The lock, or nil when another process holds it.
    static func take(_ path: String) throws -> FileLock? {
        let descriptor = try descriptor(path)
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            let lock = FileLock(descriptor: descriptor)
            if try lock.isStillAt(path) { return lock }
            lock.release()
            return try take(path)
        }
        let reason = errno
        close(descriptor)
        guard reason == EWOULDBLOCK || reason == EINTR else {
            throw FileSystem.failure(reason, "cannot lock", path)
        }
        return nil
    }

    private static func descriptor(_ path: String) throws -> Int32 {
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if created >= 0 {
            // The process's umask may have taken from the owner's permissions; nobody else is to have any.
            guard fchmod(created, 0o600) == 0 else {
                let reason = errno
                close(created)
                throw FileSystem.failure(reason, "cannot set the permissions of the lock file", path)
            }
            return created
        }
        guard errno == EEXIST else { throw FileSystem.failure(errno, "cannot open the lock file", path) }
        do {
            return try FileSystem.openFile(path, O_RDWR, followsLinks: false)
        } catch let error as StrongroomError where error.code == .fileMissing {
            // Whoever held it has removed it.
            return try Self.descriptor(path)
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
