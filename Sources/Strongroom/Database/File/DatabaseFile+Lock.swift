/// The lock between processes, for opening a file and for changing the files beside it.
extension DatabaseFile {
    var lockPath: String { sideFiles.lock }
    /// The path of the copy that replaces the file in a rotation.
    var rotatingPath: String { FileSystem.companion(of: path, "rotating") }

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
    /// - Throws: ``StrongroomError`` with `locked` if another process holds it for longer, which the message names as
    ///   far as the system reports it.
    func lock(within patience: Duration) async throws -> FileLock {
        if let lock = try await FileLock.acquire(lockPath, of: path, within: patience) { return lock }
        throw try isHeld(longerThan: patience)
    }

    private func isHeld(longerThan patience: Duration) throws -> StrongroomError {
        let node = try FileStatus.ofName(lockPath)?.identity.node
        let holders = try node.flatMap { try FileHolders.locking([$0]) } ?? []
        let holder = holders.isEmpty ? "another process" : FileHolders.describe(holders)
        let verb = holders.count > 1 ? "are" : "is"
        // The copy that replaces the file exists from the beginning of a rotation to its end; the lock's holder has
        // removed one of a killed rotation.
        let isRotating = try FileStatus.ofName(rotatingPath) != nil
        return StrongroomError(
            .locked,
            """
            "\(path)" has been locked for longer than \(patience): \(holder) \(verb) \
            \(isRotating ? "rotating it" : "opening it, or changing its schema or keys"). Wait for it to finish, or \
            end it; then open again.
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
