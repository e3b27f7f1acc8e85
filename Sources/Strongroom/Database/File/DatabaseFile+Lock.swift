/// The lock between processes, for whoever opens a file or changes what lies beside it.
extension DatabaseFile {
    private var lockPath: String { FileSystem.companion(of: path, "lock") }

    /// Keeps other processes from opening the file, which might otherwise be replaced meanwhile.
    ///
    /// - Returns: The lock; nil for a file that is opened read-only when there is no lock file, or none that can be
    ///   locked.
    /// - Throws: As ``lock(within:)``.
    func lockToOpen(within patience: Duration) async throws -> FileLock? {
        guard isReadOnly else { return try await lock(within: patience) }
        guard try FileStatus.at(lockPath) != nil, FileSystem.mayWrite(lockPath) else { return nil }
        return try await lock(within: patience)
    }

    /// Keeps other processes from opening the file.
    ///
    /// - Parameter patience: How long the lock is waited for.
    /// - Throws: ``StrongroomError`` with `locked` when another process has it for longer.
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

    /// Tries once to keep other processes from opening the file.
    ///
    /// - Returns: The lock; nil when another process has it.
    func tryLock() throws -> FileLock? {
        try FileLock.take(lockPath, of: path)
    }
}
