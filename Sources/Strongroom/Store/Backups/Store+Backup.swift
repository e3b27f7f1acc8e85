import Foundation

extension Store {
    /// Copies the database, as of one moment, into a new encrypted file, while reads and writes continue.
    ///
    /// The copy contains everything: rows with their row ids, indexes, triggers, views, full-text tables, sequences,
    /// `user_version`, `application_id`. The engine writes it; then each page of it is compared with the page of the
    /// database, without the engine: both have a valid authentication code and the same content. It is renamed to its
    /// path atomically, with mode 0600. A process that is killed before leaves `.NAME.new` beside it, which the next
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
    /// A defect that is no damage of a page, such as an index that does not match its table, is copied with the rest;
    /// ``verify(checkingStructure:progress:)`` checks the database itself. The copy of a plaintext database is
    /// plaintext unless a key is given; plaintext of an encrypted one is created only by
    /// ``exportPlaintext(to:progress:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the copy; missing directories are created with mode 0700.
    ///   - key: The key of the copy; nil for the slots of the database's envelope or, if it has none, for the current
    ///     key of its chain.
    ///   - replacing: Whether an existing file at the path is replaced; with it the envelope of an earlier backup of
    ///     the same database, and no other.
    ///   - checkingStructure: Whether the structure of the copy is checked, too, as it is before a restore. A defect is
    ///     reported in ``BackupReport/defect``; the backup is kept, unless it would replace an older file.
    ///   - progress: Called with `writing` and `verifying`, in bytes, on one of the library's threads; must not block.
    /// - Returns: What was copied.
    /// - Throws: ``StrongroomError`` with `exists` if the path exists and is not to be replaced, is that of the
    ///   database itself, or has an envelope of another file beside it; `notAFile`; the errors of ``keySlots()`` for an
    ///   envelope that cannot be used; `locked` if another backup to the path is running, or the file to be replaced is
    ///   open in another process or has a WAL; `damaged` if a page of the database is damaged, or a copy with a defect
    ///   would replace a file, `copyDamaged` if the copy fails its checks; `invalidKey`, `diskFull`,
    ///   `permissionDenied`, `closed`; `CancellationError`. The path is unchanged then.
    public func backup(
        to path: String, key: Key? = nil, replacing: Bool = false, checkingStructure: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        let start = ContinuousClock.now
        // Before anything is created at the path.
        let salt = try key == nil && !file.isInMemory ? file.wrapped()?.salt : nil
        let wanted = try await salt == nil ? backupKey(key) : nil
        let target = try await BlockingWork.run { try CopyTarget(path, replaces: replacing) }
        defer { try? file.context().keyEvents?.deliver() }
        let content = try await copy(to: target, envelopeOf: salt, progress) { [file] from, monitor in
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
                file: try file.context().file, from: from, to: to, path: target.temporary, monitor: monitor,
                structure: checkingStructure ? .reported : .none, countsRows: true)
            return (copy, envelope?.bytes)
        }
        return try BackupReport(target.path, content, since: start)
    }

    /// Makes a copy of the database at a path, while no other program has the path.
    ///
    /// - Parameters:
    ///   - salt: The salt in the envelope that the copy gets; nil if it gets none.
    ///   - make: Called with the key of the database, as it is while the database cannot be rotated; returns the
    ///     copy, and its envelope.
    private func copy(
        to target: CopyTarget, envelopeOf salt: [UInt8]?, _ progress: @escaping @Sendable (WorkProgress) -> Void,
        make: @escaping @Sendable (DerivedKey?, WorkMonitor) throws -> (CheckedCopy, envelope: [UInt8]?)
    ) async throws -> CheckedCopy.Content {
        let source = self.path
        try await BlockingWork.run { try target.check(source: source, envelopeOf: salt) }
        let lock = try await target.acquireLock()
        // The previous holder of the lock may have created it.
        try await BlockingWork.run { try target.check(source: source, envelopeOf: salt) }
        try OpenFiles.shared.claim(target.path, name)
        defer { OpenFiles.shared.release(target.path) }
        // Holding a reader's slot prevents a rotation or close meanwhile; the reader's own connection cannot write to
        // another file.
        let content = try await pool.perform(.read) { [file] reader in
            let monitor = WorkMonitor(progress, reader.cancellation)
            let source = try file.connect(as: nil)
            defer { source.close() }
            let (copy, envelope) = try make(file.pageKey, monitor)
            let result = try copy.make(from: source)
            do {
                // The last point at which it can be cancelled.
                try monitor.check()
                if let defect = result.content.defect { try target.requireNew(defect) }
                try target.put(result.file, with: envelope)
            } catch {
                try copy.remove()
                throw error
            }
            return result.content
        }
        lock.release()
        return content
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

extension Store {
    /// Copies the database into a new plaintext file, which can be read without a key.
    ///
    /// This is the only operation that makes plaintext of encrypted data. The file contains everything, as that of
    /// ``backup(to:key:replacing:checkingStructure:progress:)``. First every page is checked; then the rows of one
    /// snapshot are copied, and all of their values are compared, while reads and writes continue. The file has mode
    /// 0600, and is renamed to its path when it is complete. If the export fails, the file is overwritten with zeros
    /// and removed; a killed process leaves `.NAME.new` beside it, with plaintext in it, until the next export to the
    /// same path, or until you remove it.
    ///
    /// ```swift
    /// try await store.exportPlaintext(to: "/srv/transfer/inventory.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the file. It must not exist; missing directories are created with mode 0700.
    ///   - progress: Called with `checking`, `writing` and `verifying`, in bytes, on one of the library's threads; must
    ///     not block.
    /// - Throws: ``StrongroomError`` with `exists`, `damaged` if a page of the database is damaged, `locked` if another
    ///   export to the path is running, `diskFull`, `permissionDenied`, `closed`; `CancellationError`. No file is left
    ///   then.
    public func exportPlaintext(
        to path: String, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws {
        _ = try file.context()
        let target = try await BlockingWork.run { try CopyTarget(path, replaces: false) }
        _ = try await copy(to: target, envelopeOf: nil, progress) { [file] from, monitor in
            let database = try file.context().file
            return (CheckedCopy(file: database, from: from, to: nil, path: target.temporary, monitor: monitor), nil)
        }
    }
}
