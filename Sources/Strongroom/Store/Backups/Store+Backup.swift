extension Store {
    /// Copies the whole database, as of one moment, into a new encrypted file, while reads and writes continue.
    ///
    /// The copy contains everything: rows with their row ids, indexes, triggers, views, full-text tables, sequences,
    /// `user_version`, `application_id`. It has no WAL. The engine writes the copy; then each page of it is read again
    /// and compared with the page of the database, without the engine: both have a valid authentication code and the
    /// same content. The copy is opened with its key on a new connection and renamed to its path atomically, with mode
    /// 0600. If the process is killed before, the path is unchanged and `.NAME.new` is left beside it, which the next
    /// backup to the same path removes.
    ///
    /// The copy of a database with an envelope has the database's data key and all slots of the envelope, in
    /// `PATH.keys` and `PATH.keys.copy`: any key that has a slot opens it, a recovery key, too. Keep the copy and one
    /// of these files together. With `key` the copy opens with that key alone, and has no envelope.
    ///
    /// ```swift
    /// let report = try await store.backup(to: "/srv/backup/inventory.sqlite")
    /// print(report.rows, report.bytes)
    /// ```
    ///
    /// A defect that is no damage of a page, such as an index that does not match its table, is copied with the rest.
    /// With `checkingStructure` the structure of the copy is checked, as that of a backup is before it is restored; see
    /// ``Stores/restore(_:from:keys:allowingPlaintext:adoptingFrom:progress:)``.
    /// ``verify(checkingStructure:progress:)`` checks the database itself.
    ///
    /// The copy of a plaintext database is plaintext unless a key is given; plaintext of an encrypted database is made
    /// only by ``exportPlaintext(to:progress:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the copy; missing directories are created with mode 0700.
    ///   - key: The key of the copy; nil for the slots of the database's envelope or, if it has none, for the current
    ///     key of its chain.
    ///   - replacing: Whether an existing file at the path is replaced; with it the envelope of an earlier backup of
    ///     the same database, and no other.
    ///   - checkingStructure: Whether the structure of the copy is checked, too. A defect is reported in
    ///     ``BackupReport/defect``; the backup is kept.
    ///   - progress: Called with `writing` and `verifying`, in bytes, on one of the library's threads; must not block.
    ///     If a plaintext database gets an encrypted copy, its rows are copied instead of its pages, all of their
    ///     values are compared, and the structure is checked in any case.
    /// - Returns: What was copied.
    /// - Throws: ``StrongroomError`` with `exists` if the path exists and is not to be replaced, is that of the
    ///   database itself, or has an envelope of another file beside it; `notAFile` if it is no file; the errors of
    ///   ``keySlots()`` for an envelope that cannot be used; `locked` if another backup to the path is running, or the
    ///   file to be replaced is open in another process (as far as the system reports it: Linux does) or has a WAL;
    ///   `damaged` if a page of the database is damaged, `copyDamaged` if the copy fails its checks; `invalidKey`,
    ///   `diskFull`, `permissionDenied`, `closed`; `CancellationError` if the task is cancelled. The path is unchanged
    ///   then.
    public func backup(
        to path: String, key: Key? = nil, replacing: Bool = false, checkingStructure: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        let start = ContinuousClock.now
        // Before anything is created at the path.
        let salt = try key == nil && !file.isInMemory ? file.activeKey().wrapped?.salt : nil
        let wanted = try await salt == nil ? backupKey(key) : nil
        let place = try await BlockingWork.run { try CopyPlace(path, replaces: replacing) }
        let source = self.path
        try await BlockingWork.run { try place.check(source: source, envelopeOf: salt) }
        let lock = try await place.acquireLock()
        // The previous holder of the lock may have created it.
        try await BlockingWork.run { try place.check(source: source, envelopeOf: salt) }
        try OpenFiles.shared.claim(place.path, name)
        defer { OpenFiles.shared.release(place.path) }
        // Holding a reader's slot prevents a rotation or close meanwhile; the reader's own connection cannot write to
        // another file.
        let report = try await pool.perform(.read) { [file] reader in
            let monitor = WorkMonitor(progress, reader.cancellation)
            let source = try file.connect(as: nil)
            defer { source.close() }
            let from = file.pageKey
            let envelope = try salt == nil ? nil : from.map { try file.envelopeOfCopy(with: $0) }
            let to =
                try envelope != nil
                ? from
                : wanted.map { key in
                    try DerivedKey(
                        key, salt: key.salt ?? CipherSettings.randomSalt(),
                        settings: from?.settings ?? CipherSettings.engineDefault())
                }
            let copy = CheckedCopy(
                file: try file.context().file, from: from, to: to, path: place.temporary, monitor: monitor,
                structure: checkingStructure ? .reported : .none, countsRows: true)
            let made = try copy.make(from: source)
            do {
                // The last point at which it can be cancelled.
                try monitor.check()
                try place.put(made.file, with: envelope?.bytes)
            } catch {
                try copy.remove()
                throw error
            }
            return try BackupReport(place.path, made.content, since: start)
        }
        lock.release()
        return report
    }

    /// The key of the copy; nil for plaintext.
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
