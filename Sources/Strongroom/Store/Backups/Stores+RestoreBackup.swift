import Logging

extension Stores {
    /// Puts a backup in the place of a database, or where none is yet; what was written since is lost.
    ///
    /// The backup is copied beside the database, opened with a key of the chain or with the one that is given, and
    /// read: every page's authentication code, the engine's integrity check. When it has another key than those of the
    /// chain, or other cipher settings than those of the configuration, it is brought to the current ones and compared.
    /// Only then it takes the database's place, atomically: whenever this is interrupted, the database is the one
    /// before or the one after. The backup itself is only read. The next opening migrates the database.
    ///
    /// ```swift
    /// let report = try await stores.restore("addressbook_alice.sqlite", from: "/srv/backup/alice.sqlite")
    /// print(report.rows)
    /// ```
    ///
    /// A backup in which that check finds a defect is refused: salvage a copy of it, then restore what was made.
    ///
    /// A database that is damaged, cut off or empty, so that it cannot be opened, is not replaced: what is in it may
    /// still be saved. The error says what lies there; move it and what belongs to it (`-wal`, `-shm`, `-journal`,
    /// `.keys`, `.keys.copy`) away, then restore.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be open.
    ///   - path: Where the backup lies.
    ///   - keys: What opens the backup; nil when a key of the database's chain does.
    ///   - allowingPlaintext: Whether the backup may be plaintext, and so may the database when its configuration says
    ///     so.
    ///   - progress: Told how far it has come: `writing`, `checking` and, for a backup that is rewritten, `verifying`,
    ///     in bytes. Called on a thread of the library's own; it must not wait.
    /// - Returns: What was put back.
    /// - Throws: ``StrongroomError`` with `fileMissing` when there is no backup, `readOnly`, `plaintextFile` for one
    ///   that is plaintext without leave, `sameFile` when the database or the backup is open in this process, or the
    ///   backup has the name of what an interrupted restoring leaves, `locked` when one is open in another (of the
    ///   backup as far as the system tells: Linux does) or the backup is changed meanwhile, `wrongKey`,
    ///   `plaintextHeader`, `damaged`, `truncated`, `emptyFile`, `notADatabase`, `diskFull`; what opening throws about
    ///   names, configurations and keys; `CancellationError`. The database is as it was then.
    @discardableResult
    public func restore(
        _ fileName: String, from path: String, keys: KeyChain? = nil, allowingPlaintext: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        try await withClosedFile(fileName) { opening, chain in
            let report = try await WorkMonitor.run(progress) { monitor in
                let backup = try FileSystem.resolve(path)
                try OpenFiles.shared.claim(backup, opening.name)
                defer { OpenFiles.shared.release(backup) }
                return try BackupReturn(
                    opening: opening, chain: chain, backup: backup, backupKeys: keys,
                    allowsPlaintext: allowingPlaintext, monitor: monitor
                ).run()
            }
            opening.logger?.notice("restored", metadata: ["backup": .string(path)])
            return report
        }
    }
}
