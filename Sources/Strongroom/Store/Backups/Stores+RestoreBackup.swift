import Logging

extension Stores {
    /// Replaces a database with a backup, or creates it from one; changes made since the backup are lost.
    ///
    /// The backup is copied beside the database, opened with a key of the chain or with a given one, and verified:
    /// every page's authentication code and, on another thread, the structure. The engine's integrity check looks up
    /// each row in each index, with up to 96 MiB of memory for pages: in a database with larger indexes in random order
    /// it takes many times as long as the rest. See SQLite's documentation, "PRAGMA integrity_check"
    /// (sqlite.org/pragma.html). If the backup has a key that is not in the chain, or other cipher settings than those
    /// of the configuration, it is rewritten with the current ones and compared. Then it replaces the database
    /// atomically: if this is interrupted, the database is either the old one or the restored one. The backup itself is
    /// only read. The next opening migrates the database.
    ///
    /// ```swift
    /// let report = try await stores.restore("addressbook_alice.sqlite", from: "/srv/backup/alice.sqlite")
    /// print(report.rows)
    /// ```
    ///
    /// The backup of a database with an envelope has an envelope of its own, `PATH.keys`, and opens with any key that
    /// has a slot in it. A new database takes these slots over. An existing one keeps its own envelope; if that has
    /// another data key by now, the backup is rewritten with it.
    ///
    /// If the passphrase is lost and a recovery key is at hand, a chain of that and a new passphrase restores the
    /// backup: the new passphrase gets a slot at the next opening.
    ///
    /// A backup that fails the check is refused: salvage a copy of it, then restore the result.
    ///
    /// A database that is damaged, truncated or empty, so that it cannot be opened, is not replaced: its content may
    /// still be recoverable. The error says what was found; move the file and those that belong to it (`-wal`, `-shm`,
    /// `-journal`, `.keys`, `.keys.copy`) away, then restore.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be in use. A lent one that is idle is closed, and requests
    ///     for it wait.
    ///   - path: The path of the backup.
    ///   - keys: The keys that may open the backup or its envelope; nil for the database's chain. The backup is
    ///     rewritten with the database's own key then, and its slots are not taken over.
    ///   - allowingPlaintext: Whether the backup may be plaintext, and with it the database if its configuration says
    ///     so.
    ///   - formerName: The name of the other database that the backup is of, which becomes this one; nil if the backup
    ///     must be of this database.
    ///   - progress: Called with `writing`, `checking` and, for a backup that is rewritten, `verifying`, in bytes, on
    ///     one of the library's threads; must not block.
    /// - Returns: What was restored.
    /// - Throws: ``StrongroomError`` with `fileMissing` if there is no backup, `readOnly`, `plaintextFile` for a
    ///   plaintext backup that is not allowed, `alreadyOpen` if the database or the backup is open in this process,
    ///   `invalidName` if the backup has the name of a leftover of an interrupted restore, `locked` if either is open
    ///   in another process (for the backup, as far as the system reports it: Linux does) or the backup changes
    ///   meanwhile, `otherDatabase` for a backup of another database, `wrongKey`, `plaintextHeader`, `damaged`,
    ///   `truncated`, `emptyFile`, `notADatabase`, `diskFull`; what opening throws about names, configurations and
    ///   keys; `CancellationError`. The database is unchanged then.
    @discardableResult
    public func restore(
        _ fileName: String, from path: String, keys: KeyChain? = nil, allowingPlaintext: Bool = false,
        adoptingFrom formerName: String? = nil, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        let former = try formerName.map { try DatabaseName($0) }
        return try await replacingFile(fileName) { opening, chain in
            let report = try await WorkMonitor.run(progress) { monitor in
                let backup = try FileSystem.resolve(path)
                try OpenFiles.shared.claim(backup, opening.name)
                defer { OpenFiles.shared.release(backup) }
                return try BackupRestore(
                    opening: opening, chain: chain, backup: backup, backupKeys: keys,
                    allowsPlaintext: allowingPlaintext, monitor: monitor, former: former
                ).run()
            }
            opening.logger?.notice("restored", metadata: ["backup": .string(path)])
            return report
        }
    }
}

/// The result of a backup or of its restore.
public struct BackupReport: Sendable, Hashable {
    /// The path of the copy.
    public let path: String
    /// Its size in bytes.
    public let bytes: Int64
    /// The number of its tables with rows of their own, including the library's internal ones.
    public let tables: Int
    /// The rows of all tables.
    public let rows: Int64
    /// The first defect that the engine found in the structure of the copy and of the database, such as an index that
    /// does not match its table; nil for none, and for a backup whose structure was not checked.
    public let defect: String?
    /// How long it took.
    public let duration: Duration
    /// The names of the former database's extended attributes that could not be set on the restored one; empty for a
    /// backup.
    public internal(set) var attributesNotKept: [String] = []

    /// - Parameters:
    ///   - file: The finished copy.
    ///   - path: Its final path; nil for its present one.
    init(
        _ file: String, as path: String? = nil, _ content: CheckedCopy.Content, since start: ContinuousClock.Instant
    ) throws {
        self.path = path ?? file
        bytes = try FileStatus.at(file)?.size ?? 0
        tables = content.rowCounts.count
        rows = content.rowCounts.reduce(0, +)
        defect = content.defect
        duration = ContinuousClock.now - start
    }
}
