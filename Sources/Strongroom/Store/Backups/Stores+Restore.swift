import Logging

extension Stores {
    /// Replaces a database with a backup, or creates it from one; changes made since the backup are lost.
    ///
    /// The backup is copied beside the database, opened with a key of the chain or with a given one, and verified:
    /// every page's authentication code and the structure, by the engine's integrity check. That looks up each row in
    /// each index; in a database with indexes of more than 96 MiB in random order it takes many times as long as the
    /// rest. If the backup has a key that is not in the chain, or other cipher settings than those of the
    /// configuration, it is rewritten with the current ones and compared. Then it replaces the database atomically: if
    /// this is interrupted, the database is either the old one or the restored one. The backup itself is only read. The
    /// next opening migrates the database.
    ///
    /// ```swift
    /// let report = try await stores.restore("addressbook_alice.sqlite", from: "/srv/backup/alice.sqlite")
    /// print(report.rows)
    /// ```
    ///
    /// The backup of a database with an envelope has an envelope of its own, `PATH.keys`, and opens with any key that
    /// has a slot in it. A new database takes these slots over; an existing one keeps its own envelope. If the
    /// passphrase is lost, a chain of a recovery key and a new passphrase restores the backup: the new passphrase gets
    /// a slot at the next opening.
    ///
    /// A backup that fails the check is refused: salvage a copy of it, then restore the result. A database that cannot
    /// be opened is not replaced, since its content may still be recoverable: the error names the files to move away.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be in use. A lent one that is idle is closed, and requests
    ///     for it wait.
    ///   - path: The path of the backup.
    ///   - keys: The keys that may open the backup or its envelope; nil for the database's chain. The backup is
    ///     rewritten with the database's own key then, or with the data key of a new envelope if the configuration
    ///     requires one; its slots are not taken over.
    ///   - allowingPlaintext: Whether the backup may be plaintext, and with it the database if its configuration says
    ///     so.
    ///   - previousName: The name of the other database that the backup is of, which becomes this one; nil if the
    ///     backup must be of this database.
    ///   - progress: Called with `writing`, `checking` and, for a backup that is rewritten, `verifying`, in bytes, on
    ///     one of the library's threads; must not block.
    /// - Returns: What was restored.
    /// - Throws: ``StrongroomError`` with `fileMissing` if there is no backup, `readOnly`, `plaintextFile` for a
    ///   plaintext backup that is not allowed, `alreadyOpen` if the database or the backup is open in this process,
    ///   `invalidName` if the backup has the name of a leftover of an interrupted restore, `locked` if either is open
    ///   in another process or the backup changes meanwhile, `otherDatabase` for a backup of another database,
    ///   `wrongKey`, `keyProvider`, `plaintextHeader`, `damaged`, `truncated`, `emptyFile`, `notADatabase`, `diskFull`;
    ///   what opening throws about names, configurations and keys; `CancellationError`. The database is unchanged then.
    @discardableResult
    public func restore(
        _ fileName: String, from path: String, keys: KeyChain? = nil, allowingPlaintext: Bool = false,
        adoptingFrom previousName: String? = nil, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        let previousName = try previousName.map { try DatabaseName($0) }
        return try await replacingFile(fileName) { context, chain in
            let report = try await WorkMonitor.run(progress) { monitor in
                let backup = try FileSystem.resolve(path)
                try OpenFiles.shared.claim(backup, context.name)
                defer { OpenFiles.shared.release(backup) }
                return try BackupRestore(
                    context: context, chain: chain, backup: backup, backupKeys: keys,
                    allowsPlaintext: allowingPlaintext, monitor: monitor, previousName: previousName
                ).run()
            }
            context.logger?.notice("restored", metadata: ["backup": .string(path)])
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
    /// The names of the previous database's extended attributes that could not be set on the restored one; empty for a
    /// backup.
    public internal(set) var attributesNotKept: [String] = []

    /// - Parameter path: Its final path; nil for its present one.
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

extension Stores {
    /// Replaces a database, or creates it, with pages that a function writes; as `restore(_:from:)` does with a backup.
    ///
    /// - Parameters:
    ///   - previousName: The other database that the pages may be of, which becomes this one.
    ///   - beforeReplacing: As `whenRestored`, before the database is replaced.
    ///   - whenRestored: Called with the path of the record of what was shipped to the replica, when the database is
    ///     replaced and the lock between processes is held.
    ///   - fill: Writes every page, of which an interrupted attempt may have written some, and returns the envelope
    ///     that belongs to them; nil if they have none.
    package func restoreReplica(
        _ fileName: String, adoptingFrom previousName: DatabaseName? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void,
        beforeReplacing: @Sendable (_ recordPath: (String) -> String) async throws -> Void = { _ in },
        whenRestored: @Sendable (_ recordPath: (String) -> String) async throws -> Void = { _ in },
        fill: @Sendable (RestoredFile) async throws -> [UInt8]?
    ) async throws -> BackupReport {
        try await replacingFile(fileName) { context, chain in
            let restored = try RestoredFile(of: context.path)
            var isFilled = false
            do {
                let stored = try await fill(restored)
                isFilled = true
                try await beforeReplacing { context.file.replicaRecordPath($0) }
                let report = try await WorkMonitor.run(progress) { monitor in
                    try restored.file.synchronize()
                    return try BackupRestore(
                        context: context, chain: chain, backup: restored.file.path, monitor: monitor,
                        previousName: previousName, written: restored.file, storedEnvelope: stored
                    ).run()
                }
                try? restored.remove()
                context.logger?.notice("restored", metadata: ["backup": "a replica"])
                try await whenRestored { context.file.replicaRecordPath($0) }
                return report
            } catch {
                if isFilled || !restored.isKept(after: error) { try? restored.remove() }
                throw Self.explained(error, context.file.name)
            }
        }
    }

    /// Replaces an error that names a file of the library's own.
    private static func explained(_ error: any Error, _ database: String) -> any Error {
        let failure = error as? StrongroomError
        // What has a cause is about the file that would have been replaced; see `BackupRestore`.
        guard failure?.underlying == nil else { return error }
        return switch failure?.code {
        case .wrongKey?: wrongKey(database)
        case .damaged?: damaged(database, error)
        default: error
        }
    }

    private static func damaged(_ database: String, _ underlying: any Error) -> StrongroomError {
        var error = StrongroomError(
            .replicaDamaged,
            """
            This state of the replica has damaged pages: the disk had lost them before they were shipped. Restore an \
            earlier state: `restore(_:from:to:)` with a time or a change, `--at` in the tool; `strongroom replica \
            status` names the oldest and the newest one. Nothing was changed.
            """,
            database: database)
        error.underlying = underlying
        return error
    }

    private static func wrongKey(_ database: String) -> StrongroomError {
        StrongroomError(
            .wrongKey,
            """
            No key of the chain opens the state of the replica. Add the key that it is encrypted with to \
            `keyChain(for:)`; nothing was changed.
            """,
            database: database)
    }
}

/// A database that is being written page by page, to be restored.
///
/// If the process is killed, or the source of the pages fails, the file stays beside the database, with a note of how
/// far it is, so that the next attempt goes on there; opening the database removes both.
package final class RestoredFile: Sendable {
    let file: PlainFile
    private let notePath: String
    /// What was noted of the pages that the file has; nil for an empty file.
    package let note: [UInt8]?
    private let hasNote: Locked<Bool>

    /// Opens what an interrupted attempt has left, or creates an empty file.
    init(of path: String) throws {
        let rawPath = BackupRestore.rawPath(of: path)
        notePath = FileSystem.hiddenFile(of: path, "fetched")
        if let (file, note) = try Self.interrupted(rawPath, notePath) {
            (self.file, self.note) = (file, note)
        } else {
            try FileSystem.removeCopy(rawPath)
            try FileSystem.removeCopy(notePath)
            (file, note) = (try PlainFile(creating: rawPath), nil)
        }
        hasNote = Locked(note != nil)
    }

    /// The file that was left, and its note; nil unless this process's user has made both.
    private static func interrupted(_ path: String, _ notePath: String) throws -> (PlainFile, [UInt8])? {
        guard let left = try FileSystem.requireRegular(path), left.isPrivate,
            try FileSystem.requireRegular(notePath)?.isPrivate == true,
            let stored = try FileSystem.firstBytesIfThere(of: notePath, longestNote)
        else { return nil }
        let file = try PlainFile(path, isWritable: true, followsLinks: false)
        let status = try file.status()
        let identity = status.identity
        guard status.isPrivate, let content = Digests.content(of: stored), content.starts(with: nodeBytes(identity))
        else { return nil }
        try SideFiles(of: path).removeEngineFiles()
        return (file, Array(content.dropFirst(8)))
    }

    /// Longer than an envelope.
    private static let longestNote = Envelope.maxBytes + 4_096

    /// A note belongs to one file, not to another one of the same name.
    private static func nodeBytes(_ identity: FileStatus.Identity) -> [UInt8] {
        withUnsafeBytes(of: identity.node.littleEndian) { [UInt8]($0) }
    }

    package func write(_ page: UnsafeRawBufferPointer, as number: UInt32) throws {
        try file.write(page, at: Int64(number - 1) * Int64(page.count))
    }

    package func resize(to length: Int64) throws { try file.truncate(to: length) }

    /// Notes what the file has now, after flushing it to the disk. A note that is written in part is ignored.
    package func record(_ note: [UInt8]) throws {
        try file.synchronize()
        let stored = Digests.stored(Self.nodeBytes(try file.status().identity) + note)
        if try FileSystem.requireRegular(notePath) == nil { _ = try PlainFile(creating: notePath) }
        let target = try PlainFile(notePath, isWritable: true, followsLinks: false)
        try target.truncate(to: Int64(stored.count))
        try target.write(stored, at: 0)
        try target.synchronize()
        hasNote.withLock { $0 = true }
    }

    /// Whether it stays for a further attempt after an error of the work that writes the pages.
    func isKept(after error: any Error) -> Bool {
        let code = (error as? StrongroomError)?.code
        let isInterrupted = error is CancellationError || code == .objectStoreUnreachable || code == .objectStore
        return isInterrupted && hasNote.withLock { $0 }
    }

    /// Removes the file, unless it has replaced the database, and the note.
    func remove() throws {
        if try FileStatus.ofName(file.path)?.identity == file.status().identity {
            try FileSystem.removeCopy(file.path)
        }
        try FileSystem.removeCopy(notePath)
    }
}
