import Logging

/// Going back to what a file was before a migration.
extension Stores {
    /// The snapshots of a database, which ``SnapshotPolicy/beforeMigrating(keep:)`` has made.
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

    /// Puts a snapshot in the place of the database that it was made of; what was written since is lost.
    ///
    /// The snapshot is looked at first: a key of the chain, or of the file's envelope, must open it, and every page
    /// must be whole. It is copied, and the copy takes the file's place atomically: whenever this is interrupted,
    /// the file is the one before or the one after. The snapshot stays. The next opening migrates the file again, so go
    /// back to the older program first.
    ///
    /// ```swift
    /// let restored = try await stores.restoreSnapshot(of: "addressbook_alice.sqlite")
    /// print(restored.version ?? "", restored.date)
    /// ```
    ///
    /// A file that is damaged so much that it cannot be opened is not replaced: move it away with the `-wal` beside it,
    /// then restore.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be open.
    ///   - snapshot: The snapshot; nil for the newest.
    /// - Returns: The snapshot that was put back.
    /// - Throws: ``StrongroomError`` with `fileMissing` when there is no snapshot, `readOnly`, `sameFile` when the file
    ///   is open in this process, `locked` when it is open in another one, `wrongKey` when no key opens the snapshot,
    ///   as one from before a new data key, `damaged`, `diskFull`; what opening throws about names, configurations and
    ///   keys. The file is as it was then.
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
