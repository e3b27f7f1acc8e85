import Foundation

/// The lock between processes, for opening a file and for changing the files beside it.
extension DatabaseFile {
    var lockPath: String { sideFiles.lock }
    /// The path of the copy that replaces the file in a rotation.
    var rotatingPath: String { FileSystem.hiddenFile(of: path, "rotating") }

    /// Acquires the lock between processes to open the file, which might otherwise be replaced meanwhile.
    ///
    /// - Returns: The lock; nil for a file that is opened read-only if there is no lock file, or it cannot be locked.
    func lockToOpen(within patience: Duration) async throws -> FileLock? {
        guard isReadOnly else { return try await lock(within: patience) }
        guard try FileStatus.at(lockPath) != nil, FileSystem.mayWrite(lockPath) else { return nil }
        return try await lock(within: patience)
    }

    /// Prevents other processes from opening the file.
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

    func tryLock() throws -> FileLock? {
        try FileLock.tryAcquire(lockPath, of: path)
    }
}

extension DatabaseFile {
    /// Seconds between two attempts, and between two scans of the WAL.
    static let pause = 0.01

    /// Opens a connection that has exclusive access to the file: no other connection is open, with a lock or without
    /// one, as far as the system permits this process to find out.
    ///
    /// - Returns: The connection, to be closed to release the file; nil if the file was in use during the entire wait.
    func connectExclusively(
        key: DerivedKey?, within patience: Duration = .zero, whenWaiting: () throws -> Void = {}
    ) throws -> Connection? {
        let start = ContinuousClock.now
        while true {
            var longest = patience
            let connection = try connect(.existing, key: key)
            try connection.proveKey()
            connection.setBusyTimeout(milliseconds: 0)
            if try connection.acquireExclusiveAccess() {
                // A process that has the file open without a lock, not in WAL mode, would continue to use the replaced
                // file.
                guard try !FileHolders.withOpenFile(path).isEmpty else { return connection }
                longest = max(longest, FileHolders.startOfAProcess)
            }
            connection.close()
            guard ContinuousClock.now - start < longest else { return nil }
            try whenWaiting()
            Thread.sleep(forTimeInterval: Self.pause)
        }
    }

    /// Checkpoints the WAL and removes it, so that another file can take the path.
    ///
    /// The engine does not report a WAL that it could not remove, and would apply it to the other file.
    ///
    /// - Parameters:
    ///   - connection: A connection with exclusive access.
    ///   - whenInFile: Called when the file is complete and the WAL still exists.
    /// - Throws: ``StrongroomError`` with `inputOutput` if the WAL remains.
    func removeLog(of connection: Connection, whenInFile: () throws -> Void = {}) throws {
        try connection.mergeLog(whenInFile: whenInFile)
        guard try FileStatus.ofName(logPath)?.size ?? 0 == 0 else {
            throw StrongroomError(
                .inputOutput,
                """
                The engine could not remove "\(logPath)", which it would apply to the file that is to replace \
                "\(path)". Check the permissions of the directory and the disk, then try again; nothing was changed.
                """,
                database: name)
        }
        for path in [logPath, sideFiles.index] { try FileSystem.remove(path) }
    }

    /// Whether another program has opened the file since a connection of this process acquired exclusive access: a
    /// program that does not know the library's lock may do so. It would continue to use the replaced file.
    func isOpenedMeanwhile(since descriptors: Int, whenWaiting: () throws -> Void = {}) throws -> Bool {
        try descriptorsHere() > descriptors
            || !FileHolders.lasting({ try FileHolders.withOpenFile(path) }, whenWaiting: whenWaiting).isEmpty
    }

    /// How often this process has the file open; 0 if the system does not report it.
    func descriptorsHere() throws -> Int { try FileHolders.descriptorsHere(path) }

    func heldByOthers(for purpose: String) -> StrongroomError {
        let holders = FileHolders.describe((try? FileHolders.using(path)) ?? [])
        return StrongroomError(
            .locked,
            """
            "\(path)" can be \(purpose) only with exclusive access, and is open \
            elsewhere\(holders.isEmpty ? "" : ": \(holders)"). Close it there, then try again; nothing was changed.
            """,
            database: name
        )
    }
}

extension DatabaseFile {
    /// A connection that has read the entire schema.
    ///
    /// With a WAL it is read-only: closing one that can write checkpoints the WAL, whatever the key. Without a WAL it
    /// can write: a read-only one leaves an empty WAL behind.
    func connectProving(_ key: DerivedKey?, size: Int64) throws -> Connection {
        guard !isReadOnly else {
            let size = try hasLog() ? nil : size
            return try connectToRead(key: key) { try $0.prove(path, size: size) }
        }
        guard try hasLog() else { return try connect(.existing, proving: key, size: size) }
        do {
            return try connect(.readOnly, proving: key, size: nil)
        } catch let error as StrongroomError where error.code == .readOnly {
            // A rollback journal has to be rolled back before the file can be read, which is a write.
            return try connect(.existing, proving: key, size: nil)
        }
    }

    private func connect(_ mode: Connection.Mode, proving key: DerivedKey?, size: Int64?) throws -> Connection {
        let connection = try connect(mode, key: key)
        do {
            try connection.prove(path, size: size)
        } catch let error as StrongroomError
            where error.code == .permissionDenied || (mode == .existing && error.code == .readOnly)
        {
            throw notPermitted("or its log cannot be opened or created", error.resultCode)
        }
        return connection
    }
}

extension Connection {
    /// Reads the first page, then the schema.
    ///
    /// - Parameter size: The file's size in bytes; nil if the end of the database may be in a WAL.
    fileprivate func prove(_ path: String, size: Int64?) throws {
        do {
            _ = try ownValue("PRAGMA schema_version")
        } catch let error as StrongroomError where error.code == .damaged {
            // Only the first page has been read; the engine refuses one whose page count is larger than the file.
            throw cutOff(path, error.resultCode)
        }
        try proveKey()
        guard size != nil, try databaseLength() > FileStatus.at(path)?.size ?? 0 else { return }
        // Both are read again and in one transaction: while the key was fetched, another process may have extended the
        // file, or created a WAL.
        let length = try inTransaction(.deferred) {
            try proveKey()
            return try databaseLength()
        }
        guard let size = try FileStatus.at(path)?.size, size < length else { return }
        if try !SideFiles(of: path).logs.contains(where: { try FileStatus.at($0).map { $0.size > 0 } ?? false }) {
            throw cutOff(path, nil)
        }
    }

    private func cutOff(_ path: String, _ resultCode: ResultCode?) -> StrongroomError {
        StrongroomError(
            .truncated,
            """
            The file "\(path)" is shorter than the database in it: it was truncated. Restore it from a backup.
            """,
            database: database,
            resultCode: resultCode
        )
    }
}
