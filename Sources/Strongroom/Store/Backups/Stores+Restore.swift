import Logging

/// Restoring the state of a file before a migration.
extension Stores {
    /// The snapshots of a database that ``SnapshotPolicy/beforeMigrating(keep:)`` has made.
    ///
    /// - Parameter fileName: The database's name.
    /// - Returns: The snapshots, newest first.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `permissionDenied`; what the configuration
    ///   throws.
    public func snapshots(of fileName: String) throws -> [Snapshot] {
        let name = try DatabaseName(fileName)
        let context = try StoreContext(name, configuration(of: name), in: .disk).located()
        return try SnapshotShelf(file: context.file).snapshots()
    }

    /// Replaces a database with a snapshot of it; changes made since the snapshot are lost.
    ///
    /// The snapshot is checked first: a key of the chain, or of the file's envelope, must open it, and every page must
    /// be intact. It is copied, and the copy replaces the file atomically: if this is interrupted, the file is either
    /// the old one or the restored one. The snapshot is kept. The next opening migrates the file again, so install the
    /// older program first.
    ///
    /// ```swift
    /// let restored = try await stores.restoreSnapshot(of: "addressbook_alice.sqlite")
    /// print(restored.version ?? "", restored.date)
    /// ```
    ///
    /// A file that is too damaged to be opened is not replaced: move it away together with its `-wal`, then restore.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be open.
    ///   - snapshot: The snapshot; nil for the newest.
    /// - Returns: The restored snapshot.
    /// - Throws: ``StrongroomError`` with `fileMissing` if there is no snapshot, `readOnly`, `sameFile` if the file is
    ///   open in this process, `locked` if it is open in another one, `wrongKey` if no key opens the snapshot, for
    ///   example one from before a new data key, `damaged`, `diskFull`; what opening throws about names, configurations
    ///   and keys. The file is unchanged then.
    @discardableResult
    public func restoreSnapshot(of fileName: String, _ snapshot: Snapshot? = nil) async throws -> Snapshot {
        try await withClosedFile(fileName) { opening, chain in
            let restored = try await BlockingWork.run {
                let snapshots = try SnapshotShelf(file: opening.file).snapshots()
                guard let chosen = snapshots.first(where: { snapshot == nil || $0.path == snapshot?.path }) else {
                    throw StrongroomError(
                        .fileMissing,
                        """
                        There is no such snapshot of "\(opening.path)", but \(snapshots.count) others. Give one of \
                        `snapshots(of:)`.
                        """
                    )
                }
                try SnapshotReturn(opening: opening, chain: chain, snapshot: chosen).run()
                return chosen
            }
            opening.logger?.notice("restored", metadata: ["snapshot": .string(restored.path)])
            return restored
        }
    }
}
