extension Store {
    /// Copies the whole database, as it is at one moment, into one new encrypted file, while others read and write.
    ///
    /// Everything comes along: rows with their row ids, indexes, triggers, views, full-text tables, sequences,
    /// `user_version`, `application_id`. The copy stands alone: no log lies beside it, and it opens with its key and
    /// nothing else, also when the database has an envelope. First every page of the database is checked, for which
    /// writes wait. The copy is read again through a fresh connection: each page's authentication code, the engine's
    /// integrity check, the schema and the rows of each table; then it appears under its name atomically, for its
    /// owner alone (mode 0600). Whoever is killed before leaves what was there, and `.NAME.new` beside it, which the
    /// next backup to the same path removes.
    ///
    /// ```swift
    /// let report = try await store.backup(to: "/srv/backup/inventory.sqlite")
    /// print(report.rows, report.bytes)
    /// ```
    ///
    /// A plaintext database gives a plaintext copy, unless there is a key; of an encrypted one only
    /// ``exportPlaintext(to:progress:)`` makes plaintext.
    ///
    /// - Parameters:
    ///   - path: Where the copy is to lie; directories that are missing are made, for the owner alone.
    ///   - key: The key of the copy; nil for the current one of the database's chain.
    ///   - replacing: Whether a file that lies there is replaced.
    ///   - progress: Told how far it has come: `checking`, `writing` and `verifying`, in bytes. Called on a thread of
    ///     the library's own; it must not wait.
    /// - Returns: What was copied.
    /// - Throws: ``StrongroomError`` with `notAFile` when something lies at the path that is not to be replaced, or is
    ///   no file; `sameFile` for the path of the database itself; `locked` when somebody else makes a copy there, or
    ///   what is to be replaced is open in another process (as far as the system tells: Linux does), or has a log
    ///   beside it; `damaged` when a page of the database is, or the copy is not what it has to be; `invalidKey`,
    ///   `diskFull`, `permissionDenied`, `closed`; `CancellationError` when the task is cancelled. What lay at the path
    ///   is there then.
    public func backup(
        to path: String, key: Key? = nil, replacing: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        let start = ContinuousClock.now
        // Before anything is made at the path.
        let wanted = try await backupKey(key)
        let place = try await BlockingWork.run { try CopyPlace(path, replaces: replacing) }
        let source = self.path
        try await BlockingWork.run { try place.check(besides: source) }
        let lock = try await place.takeLock()
        // Whoever had the lock before may have made it.
        try await BlockingWork.run { try place.check(besides: source) }
        try OpenFiles.shared.claim(place.path, name)
        defer { OpenFiles.shared.release(place.path) }
        // First, as `verify` does it: an engine of version 3 takes a page of zeros for sound.
        try await pool.perform(.writeAlone) { [file] connection in
            try file.checkPages(connection, progress: progress)
        }
        // A reader's slot is held so that nobody rotates or closes meanwhile; the reader itself cannot write another
        // file.
        let report = try await pool.perform(.read) { [file] reader in
            let monitor = WorkMonitor(progress, reader.cancellation)
            let source = try file.connect(as: nil)
            defer { source.close() }
            let from = file.pageKey
            let to = try wanted.map { key in
                try DerivedKey(
                    key, salt: key.salt ?? CipherSettings.randomSalt(),
                    settings: from?.settings ?? CipherSettings.engineDefault())
            }
            let copy = CheckedCopy(
                file: try file.context().file, from: from, to: to, path: place.temporary, monitor: monitor)
            let made = try copy.make(from: source)
            do {
                // The last moment at which it can be cancelled.
                try monitor.check()
                try place.put(made.file)
            } catch {
                try copy.remove()
                throw error
            }
            return try BackupReport(place.path, made.summary, since: start)
        }
        lock.release()
        return report
    }

    /// The key that a copy is to have; nil for plaintext.
    private func backupKey(_ key: Key?) async throws -> Key? {
        let context = try file.context()
        if let key {
            guard key != .plaintext else {
                throw StrongroomError(
                    .invalidKey, "A backup is encrypted; give a key, or use `exportPlaintext(to:)` to make plaintext.",
                    database: name.fileName)
            }
            return key
        }
        let chain = try await context.keyChain()
        guard let current = chain.current else {
            guard file.pageKey == nil else { throw context.encryptedFound() }
            return nil
        }
        return current
    }
}
