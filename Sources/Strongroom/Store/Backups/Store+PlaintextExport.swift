extension Store {
    /// Copies the whole database into a new plaintext file, which can be read without a key.
    ///
    /// This is the only operation that makes plaintext of encrypted data. The file contains everything: rows with their
    /// row ids, indexes, triggers, views, full-text tables, sequences, `user_version`, `application_id`, `auto_vacuum`
    /// and encoding. First every page is checked; writes wait meanwhile. Then one snapshot is copied while reads and
    /// writes continue. The file has mode 0600, and is renamed to its path when it is complete. If the export fails or
    /// is cancelled, the file is overwritten with zeros and removed; a killed process leaves `.NAME.new` beside it,
    /// with plaintext in it, until the next export to the same path, or until you remove it.
    ///
    /// ```swift
    /// try await store.exportPlaintext(to: "/srv/transfer/inventory.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the file. It must not exist; missing directories are created with mode 0700.
    ///   - progress: Called after each table with `writing`, in tables, on one of the library's threads; must not
    ///     block.
    /// - Throws: ``StrongroomError`` with `notAFile` if the path exists, `damaged` if a page of the database is
    ///   damaged, `locked` if another export to the path is running, `diskFull`, `permissionDenied`, `closed`;
    ///   `CancellationError` if the task is cancelled. No file is left then.
    public func exportPlaintext(
        to path: String, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws {
        _ = try file.context()
        let place = try await BlockingWork.run { try CopyPlace(path, replaces: false) }
        try place.check(source: self.path)
        let lock = try await place.acquireLock()
        // The previous holder of the lock may have created it.
        try place.check(source: self.path)
        // First, as in `verify`: an engine of version 3 accepts a page of zeros as valid.
        try await pool.perform(.ungroupedWrite) { [file] connection in try file.checkPages(connection) }
        // Holding a reader's slot prevents a rotation or close meanwhile; the reader's own connection cannot write to
        // another file.
        try await pool.perform(.read) { [file] reader in
            let monitor = WorkMonitor(progress, reader.cancellation)
            do {
                try file.copyAsPlaintext(to: place, monitor)
            } catch let error as StrongroomError where error.code == .interrupted && monitor.isCancelled() {
                throw CancellationError()
            }
        }
        lock.release()
    }
}

extension StoreFile {
    /// Throws if a page is damaged; uses a connection that no other operation uses and that is in no transaction.
    ///
    /// - Parameter progress: Called with the progress; the owner of the connection stops it.
    func checkPages(_ connection: Connection, progress: @escaping WorkMonitor.Progress = { _ in }) throws {
        guard let key = pageKey else { return }
        let damaged = try connection.readingPastTheEngine {
            try PageVerifier(connection, PageCipher(key, settings: key.settings))
                .damagedPages(.checking, WorkMonitor(progress, connection.cancellation))
        }
        guard !damaged.isEmpty else { return }
        throw StrongroomError(
            .damaged,
            """
            \(damaged.count) pages of the database are damaged, so it was not copied. \
            \(StrongroomError.Code.damaged.advice)
            """,
            database: connection.database)
    }

    fileprivate func copyAsPlaintext(to place: CopyPlace, _ monitor: WorkMonitor) throws {
        let temporary = place.temporary
        try FileSystem.removeCopy(temporary, isPlaintext: true)
        do {
            let made = try PlainFile(making: temporary)
            let source = try connect(as: nil)
            defer { source.close() }
            source.stop(when: monitor.isCancelled)
            try ContentCopy.run(from: source, to: made, key: nil) { done, count in
                try monitor.report(.writing, done, of: count, .tables)
            }
            let file = try context().file
            let copy = DatabaseFile(
                path: temporary, name: file.name, busyTimeout: 0, log: nil, functions: file.functions)
            try copy.checkIntegrity(monitor)
            try made.synchronize()
            try place.put(made)
        } catch {
            try FileSystem.removeCopy(temporary, isPlaintext: true)
            throw error
        }
    }
}

extension DatabaseFile {
    /// Runs the engine's integrity check on a plaintext file.
    fileprivate func checkIntegrity(_ monitor: WorkMonitor) throws {
        let connection = try connect(.readOnly, key: nil)
        defer { connection.close() }
        connection.stop(when: monitor.isCancelled)
        guard try connection.integrityCheck(most: 1).findings.isEmpty else {
            throw StrongroomError(
                .engine,
                """
                The copy is not whole, and was not kept. Check the database with `verify`, and try again on another \
                disk.
                """,
                database: name)
        }
    }
}
