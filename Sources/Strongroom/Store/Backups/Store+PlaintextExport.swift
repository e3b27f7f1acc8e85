extension Store {
    /// Copies the whole database into a new plaintext file, which can be read without a key.
    ///
    /// This is the only operation that makes plaintext of encrypted data. The file contains everything: rows with their
    /// row ids, indexes, triggers, views, full-text tables, sequences, `user_version`, `application_id`, `auto_vacuum`
    /// and encoding. First every page is checked; then the rows of one snapshot are copied, and all of their values are
    /// compared, while reads and writes continue. A plaintext database is copied page by page, as by
    /// ``backup(to:key:replacing:checkingStructure:progress:)``. The file has mode 0600, and is renamed to its path
    /// when it is complete. If the export fails or is cancelled, the file is overwritten with zeros and removed; a
    /// killed process leaves `.NAME.new` beside it, with plaintext in it, until the next export to the same path, or
    /// until you remove it.
    ///
    /// ```swift
    /// try await store.exportPlaintext(to: "/srv/transfer/inventory.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the file. It must not exist; missing directories are created with mode 0700.
    ///   - progress: Called with `checking`, `writing` and `verifying`, in bytes, on one of the library's threads; must
    ///     not block.
    /// - Throws: ``StrongroomError`` with `exists` if the path exists, `damaged` if a page of the database is
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
        // Holding a reader's slot prevents a rotation or close meanwhile; the reader's own connection cannot write to
        // another file.
        try await pool.perform(.read) { [file] reader in
            let monitor = WorkMonitor(progress, reader.cancellation)
            let source = try file.connect(as: nil)
            defer { source.close() }
            let copy = CheckedCopy(
                file: try file.context().file, from: file.pageKey, to: nil, path: place.temporary, monitor: monitor)
            let made = try copy.make(from: source)
            do {
                // The last point at which it can be cancelled.
                try monitor.check()
                try place.put(made.file)
            } catch {
                try copy.remove()
                throw error
            }
        }
        lock.release()
    }
}
