extension Store {
    /// Copies the whole database into a new plaintext file, which anybody can read who gets hold of it.
    ///
    /// This is the only way by which the library makes plaintext of what was encrypted. Everything comes along: rows
    /// with their row ids, indexes, triggers, views, full-text tables, sequences, `user_version`, `application_id`,
    /// `auto_vacuum` and encoding. First every page is checked, for which writes wait; then one snapshot is copied,
    /// while others read and write. The file is for its owner alone (mode 0600), and appears under its name when it is
    /// complete. What fails or is cancelled is overwritten with zeros and removed; a process that is killed leaves
    /// `.NAME.new` beside it, with plaintext in it, until the next export to the same path, or until you remove it.
    ///
    /// ```swift
    /// try await store.exportPlaintext(to: "/srv/transfer/inventory.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - path: Where the file is to lie. Nothing may lie there; directories that are missing are made, for the owner
    ///     alone.
    ///   - progress: Called after each table, with `writing`, in tables, on a thread of the library's own; it must not
    ///     wait.
    /// - Throws: ``StrongroomError`` with `notAFile` when something lies at the path, `damaged` when a page of the
    ///   database is, `locked` when somebody else exports to the path, `diskFull`, `permissionDenied`, `closed`;
    ///   `CancellationError` when the task is cancelled. No file is left then.
    public func exportPlaintext(
        to path: String, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws {
        _ = try file.context()
        let place = try await BlockingWork.run { try CopyPlace(path, replaces: false) }
        try place.check(besides: self.path)
        let lock = try await place.takeLock()
        // Whoever had the lock before may have made it.
        try place.check(besides: self.path)
        // First, as `verify` does it: an engine of version 3 takes a page of zeros for sound.
        try await pool.perform(.writeAlone) { [file] connection in try file.checkPages(connection) }
        // A reader's slot is held so that nobody rotates or closes meanwhile; the reader itself cannot write another
        // file.
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
    /// Throws when a page is damaged; through a connection that nobody else uses and that is in no transaction.
    ///
    /// - Parameter progress: Told how far it has come; whoever lends the connection stops it.
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
            let name = try context().file.name
            let copy = DatabaseFile(path: temporary, name: name, busyTimeout: 0, log: nil)
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
    /// Lets the engine look at everything in a plaintext file.
    fileprivate func checkIntegrity(_ monitor: WorkMonitor) throws {
        let connection = try connect(.readOnly, key: nil)
        defer { connection.close() }
        connection.stop(when: monitor.isCancelled)
        guard try connection.ownValue("PRAGMA integrity_check") == .text("ok") else {
            throw StrongroomError(
                .engine,
                """
                The copy is not whole, and was not kept. Look at the database with `verify`, and try again on another \
                disk.
                """,
                database: name)
        }
    }
}
