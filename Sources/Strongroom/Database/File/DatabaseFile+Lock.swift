/// The lock between processes, for opening a file and for changing the files beside it.
extension DatabaseFile {
    var lockPath: String { FileSystem.companion(of: path, "lock") }

    /// Acquires the lock between processes to open the file, which might otherwise be replaced meanwhile.
    ///
    /// - Returns: The lock; nil for a file that is opened read-only if there is no lock file, or it cannot be locked.
    /// - Throws: As ``lock(within:)``.
    func lockToOpen(within patience: Duration) async throws -> FileLock? {
        guard isReadOnly else { return try await lock(within: patience) }
        guard try FileStatus.at(lockPath) != nil, FileSystem.mayWrite(lockPath) else { return nil }
        return try await lock(within: patience)
    }

    /// Prevents other processes from opening the file.
    ///
    /// - Parameter patience: How long to wait for the lock.
    /// - Throws: ``StrongroomError`` with `locked` if another process holds it for longer.
    func lock(within patience: Duration) async throws -> FileLock {
        if let lock = try await FileLock.acquire(lockPath, of: path, within: patience) { return lock }
        throw StrongroomError(
            .locked,
            """
            Another process has been opening "\(path)" for longer than \(patience). Wait for it to \
            finish, or end it; then open again.
            """,
            database: name
        )
    }

    /// Tries once to prevent other processes from opening the file.
    ///
    /// - Returns: The lock; nil if another process holds it.
    func tryLock() throws -> FileLock? {
        try FileLock.tryAcquire(lockPath, of: path)
    }
}
