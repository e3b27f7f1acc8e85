import Synchronization

/// How far an export has come.
public struct ExportProgress: Sendable, Hashable {
    /// The tables that have been copied.
    public let tablesDone: Int
    /// The tables of the database.
    public let tables: Int
}

extension Store {
    /// Copies the whole database into a new plaintext file, which anybody can read who gets hold of it.
    ///
    /// This is the only way by which the library makes plaintext of what was encrypted. Everything comes along: rows with their row ids, indexes,
    /// triggers, views, full-text tables, sequences, `user_version`, `application_id`, `auto_vacuum` and encoding. It is one snapshot; others read
    /// and write meanwhile. The file is for its owner alone (mode 0600), and appears under its name when it is complete.
    ///
    /// ```swift
    /// try await store.exportPlaintext(to: "/srv/transfer/inventory.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - path: Where the file is to lie. Nothing may lie there; directories that are missing are made, for the owner alone.
    ///   - progress: Called after each table, on a thread of the library's own; it must not wait.
    /// - Throws: ``StrongroomError`` with `notAFile` when something lies at the path, `damaged` when a page of the database is, `diskFull`,
    ///   `permissionDenied`, `closed`; `CancellationError` when the task is cancelled. No file is left then.
    public func exportPlaintext(
        to path: String, progress: @escaping @Sendable (ExportProgress) -> Void = { _ in }
    ) async throws {
        // The reader's seat is held so that nobody rotates or closes meanwhile; a reader itself cannot write another file either.
        try await access.perform(.read) { [file] reader in
            try FileSystem.createDirectories(FileSystem.directory(of: path))
            let target = try FileSystem.resolve(path)
            guard try FileStatus.at(target) == nil else {
                throw StrongroomError(
                    .notAFile, "Something lies at «\(target)» already, and is not overwritten. Give another path.")
            }
            try file.copyAsPlaintext(to: target) { done, count in
                if reader.isGivenUp.load(ordering: .relaxed) { throw CancellationError() }
                progress(ExportProgress(tablesDone: done, tables: count))
            }
        }
    }
}

extension StoreFile {
    fileprivate func copyAsPlaintext(to path: String, progress: (Int, Int) throws -> Void) throws {
        let temporary = FileSystem.companion(of: path, "new")
        func removeLeftovers() throws {
            for ending in ["", "-journal"] { try FileSystem.remove(temporary + ending) }
        }
        try removeLeftovers()
        let file = try opening().file
        do {
            try FileSystem.createFile(temporary)
            let source = try file.connect(.existing, key: pageKey)
            defer { source.close() }
            try source.proveKey()
            try ContentCopy.run(from: source, to: temporary, key: nil, progress: progress)
            let copy = DatabaseFile(path: temporary, name: file.name, busyTimeout: 0, log: nil)
            try copy.checkIntegrity()
            try FileSystem.synchronize(temporary)
            try FileSystem.moveIntoPlace(temporary, path)
            try FileSystem.synchronize(FileSystem.directory(of: path))
        } catch {
            try removeLeftovers()
            throw error
        }
    }
}

extension DatabaseFile {
    /// Lets the engine look at everything in a plaintext file.
    fileprivate func checkIntegrity() throws {
        let connection = try connect(.readOnly, key: nil)
        defer { connection.close() }
        guard try connection.ownValue("PRAGMA integrity_check") == .text("ok") else {
            throw StrongroomError(
                .engine,
                "The copy is not whole, and was not kept. Look at the database with `verify`, and try again on another disk.",
                database: name)
        }
    }
}
