import Foundation

/// An exclusive lock between processes, held until the value is destroyed.
///
/// The lock is on a separate file beside the database: opening and closing the database file would drop the locks that
/// the engine holds on it ("How To Corrupt An SQLite Database File", section 2.2, sqlite.org/howtocorrupt.html). Only
/// the holder of the lock removes the lock file. A process that opened the lock file before that detects the removal,
/// and creates a new one.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// Tries once to acquire the lock.
    ///
    /// - Parameters:
    ///   - path: The lock file; created if it does not exist.
    ///   - file: The file that the lock protects. Every user who may write that file may acquire the lock, regardless
    ///     of which user created the lock file.
    /// - Returns: The lock, or nil when another process holds it.
    static func tryAcquire(_ path: String, of file: String? = nil) throws -> FileLock? {
        guard let descriptor = try descriptor(path, file) else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            let lock = FileLock(descriptor: descriptor)
            guard try lock.isStillAt(path) else {
                lock.release()
                return try tryAcquire(path, of: file)
            }
            // Another process may have locked a lock file of another user at the moment this process removed it.
            guard try !isRemovedOneHeld(path) else { return nil }
            return lock
        }
        let reason = errno
        close(descriptor)
        guard reason == EWOULDBLOCK || reason == EINTR else {
            throw FileSystem.failure(reason, "cannot lock", path)
        }
        return nil
    }

    private static let pause = Duration.milliseconds(20)

    /// Waits for the lock.
    ///
    /// - Parameter patience: The longest wait. The default is for a lock that no other process should hold: a process
    ///   that is being started holds for a moment what its parent process holds.
    /// - Returns: The lock; nil when another process has held it all the time.
    static func acquire(
        _ path: String, of file: String, within patience: Duration = FileHolders.startOfAProcess
    ) async throws -> FileLock? {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try tryAcquire(path, of: file) { return lock }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: pause)
        }
    }

    /// - Returns: Nil if the lock file belongs to another user and a process holds it.
    private static func descriptor(_ path: String, _ file: String?) throws -> Int32? {
        while true {
            do {
                // First, since most lock files exist: the kernel locks the directory for each creation, also for one
                // that fails, while the engine may be opening other databases there.
                return try FileSystem.openFile(path, O_RDWR, followsLinks: false)
            } catch let error as StrongroomError where error.code == .fileMissing {
                if let created = try create(path, file) { return created }
            } catch let error as StrongroomError where error.code == .permissionDenied {
                guard !FileSystem.isMountedReadOnly(path) else { throw error }
                guard try remove(path, of: file) else { return nil }
            }
        }
    }

    /// - Returns: Nil if there is a lock file, which another process has created, or is removing with the database.
    private static func create(_ path: String, _ file: String?) throws -> Int32? {
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard created >= 0 else {
            guard errno == EEXIST else { throw FileSystem.failure(errno, "cannot open the lock file", path) }
            return nil
        }
        do {
            try setAccess(created, path, like: file)
            return created
        } catch {
            close(created)
            throw error
        }
    }

    /// The process's umask may have removed permissions of the owner. Only users who may write the protected file get
    /// access.
    private static func setAccess(_ descriptor: Int32, _ path: String, like file: String?) throws {
        var mode: mode_t = 0o600
        if let file, let model = try FileStatus.at(file), model.isRegularFile {
            // Only root may change the owner; without it the owner would be locked out. Any user may change the group
            // to one of their own.
            if fchown(descriptor, model.owner, model.group) != 0 { _ = fchown(descriptor, .max, model.group) }
            mode = try Self.mode(ofFileIn: FileStatus.of(descriptor, path).group, like: model, at: file)
        }
        guard fchmod(descriptor, mode) == 0 else {
            throw FileSystem.failure(errno, "cannot set the permissions of the lock file", path)
        }
    }

    /// The permissions of a file that the users who may write another one may read and write.
    static func mode(ofFileIn group: UInt32, like model: FileStatus, at path: String) throws -> mode_t {
        var mode: mode_t = 0o600
        guard try !FileAttributes.hasAccessList(path) else { return mode }
        if model.permissions & 0o020 != 0, group == model.group { mode |= 0o060 }
        if model.permissions & 0o002 != 0 { mode |= 0o006 }
        return mode
    }

    private func isStillAt(_ path: String) throws -> Bool {
        try FileStatus.ofName(path)?.identity == FileStatus.of(descriptor, path).identity
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Releases the lock, as the end of the value's lifetime does, at an explicit point.
    consuming func release() {}

    /// Removes the lock file, unless it has content, and releases the lock.
    consuming func remove(_ path: String) {
        if let size = try? FileStatus.ofName(path)?.size, size == 0 { try? FileSystem.remove(path) }
        release()
    }

    /// Runs work, then removes the lock file as ``remove(_:)`` does.
    consuming func removed<T>(_ path: String, after work: () async throws -> T) async throws -> T {
        do {
            let result = try await work()
            remove(path)
            return result
        } catch {
            remove(path)
            throw error
        }
    }

    deinit { close(descriptor) }
}

/// Lock files of another user, for instance of a tool that ran as root, that this process has removed.
extension FileLock {
    /// Their inode numbers by path.
    private static let removed = Locked<[String: UInt64]>([:])

    /// Whether a process holds a removed lock file, which it locked at the moment of the removal.
    private static func isRemovedOneHeld(_ path: String) throws -> Bool {
        guard let node = removed.withLock({ $0[path] }) else { return false }
        guard try FileHolders.locking([node])?.isEmpty ?? true else { return true }
        removed.withLock { $0[path] = nil }
        return false
    }

    /// Removes a lock file that this user cannot open and that no process holds, if the protected file belongs to this
    /// user.
    ///
    /// - Returns: False if a process holds it.
    private static func remove(_ path: String, of file: String?) throws -> Bool {
        guard let left = try FileStatus.at(path) else { return true }
        let model = try file.flatMap { try FileStatus.at($0) } ?? FileStatus.at(FileSystem.directory(of: path))
        guard model?.owner == UInt32(geteuid()), left.owner != UInt32(geteuid()),
            let holders = try FileHolders.locking([left.identity.node])
        else { throw foreign(path, left) }
        guard holders.isEmpty else { return false }
        removed.withLock { $0[path] = left.identity.node }
        guard try FileStatus.at(path)?.identity == left.identity else { return true }
        guard unlink(path) == 0 || errno == ENOENT else { throw foreign(path, left) }
        return true
    }

    private static func foreign(_ path: String, _ status: FileStatus) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            """
            Strongroom cannot open the lock file "\(path)": it belongs to the user \(status.owner), and this process \
            runs as the user \(geteuid()). Remove it when no program has the database open; it is created again, with \
            access for every user who may write the database.
            """)
    }
}
