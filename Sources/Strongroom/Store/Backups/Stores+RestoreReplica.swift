import Logging

extension Stores {
    /// Replaces a database, or creates it, with pages that a function writes; as `restore(_:from:)` does with a backup.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be in use. A lent one that is idle is closed, and requests
    ///     for it wait.
    ///   - former: The other database that the pages may be of, which becomes this one.
    ///   - progress: As for a backup.
    ///   - beforeReplacing: As `whenRestored`, before the database is replaced.
    ///   - whenRestored: Called with the path of the record of what was shipped to the replica, when the database is in
    ///     its place and the lock between processes is held.
    ///   - fill: Writes every page, of which an interrupted attempt may have written some, and returns the envelope
    ///     that belongs to them; nil if they have none.
    /// - Throws: As `restore(_:from:)`; what the function throws. The database is unchanged then.
    package func restoreReplica(
        _ fileName: String, adoptingFrom former: DatabaseName? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void,
        beforeReplacing: @Sendable (_ recordPath: (String) -> String) async throws -> Void = { _ in },
        whenRestored: @Sendable (_ recordPath: (String) -> String) async throws -> Void = { _ in },
        fill: @Sendable (RestoredFile) async throws -> [UInt8]?
    ) async throws -> BackupReport {
        try await replacingFile(fileName) { opening, chain in
            let restored = try RestoredFile(of: opening.path)
            do {
                let stored = try await restored.keptIfInterrupted { try await fill(restored) }
                try await beforeReplacing { opening.file.replicaRecordPath($0) }
                let report = try await WorkMonitor.run(progress) { monitor in
                    try restored.file.synchronize()
                    return try BackupRestore(
                        opening: opening, chain: chain, backup: restored.file.path, monitor: monitor, former: former,
                        written: restored.file, storedEnvelope: stored
                    ).run()
                }
                try? restored.remove()
                opening.logger?.notice("restored", metadata: ["backup": "a replica"])
                try await whenRestored { opening.file.replicaRecordPath($0) }
                return report
            } catch {
                if !restored.isKept { try? restored.remove() }
                throw Self.explained(error, opening.file.name)
            }
        }
    }

    /// In place of an error that names a file of the library's own.
    private static func explained(_ error: any Error, _ database: String) -> any Error {
        let failure = error as? StrongroomError
        // What has a cause is about the file that would have been replaced; see `FileReplacement`.
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
    private let state: Locked<(hasNote: Bool, isKept: Bool)>

    /// Opens what an interrupted attempt has left, or creates an empty file.
    ///
    /// - Parameter path: The database's path.
    init(of path: String) throws {
        let rawPath = BackupRestore.rawPath(of: path)
        notePath = FileSystem.companion(of: path, "fetched")
        if let (file, note) = try Self.interrupted(rawPath, notePath) {
            (self.file, self.note) = (file, note)
        } else {
            try FileSystem.removeCopy(rawPath)
            try FileSystem.removeCopy(notePath)
            (file, note) = (try PlainFile(making: rawPath), nil)
        }
        state = Locked((note != nil, false))
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

    /// Writes a page.
    ///
    /// - Parameter number: The page's number, counted from 1.
    package func write(_ page: UnsafeRawBufferPointer, as number: UInt32) throws {
        try file.write(page, at: Int64(number - 1) * Int64(page.count))
    }

    /// Sets the length of the file.
    package func resize(to length: Int64) throws { try file.truncate(to: length) }

    /// Notes what the file has now, after flushing it to the disk. A note that is written in part counts as none.
    package func record(_ note: [UInt8]) throws {
        try file.synchronize()
        let stored = Digests.stored(Self.nodeBytes(try file.status().identity) + note)
        if try FileSystem.requireRegular(notePath) == nil { _ = try PlainFile(making: notePath) }
        let target = try PlainFile(notePath, isWritable: true, followsLinks: false)
        try target.truncate(to: Int64(stored.count))
        try target.write(stored, at: 0)
        try target.synchronize()
        state.withLock { $0.hasNote = true }
    }

    /// Whether it stays for a further attempt.
    var isKept: Bool { state.withLock { $0.isKept } }

    /// Runs the work that writes the pages, and keeps the file if that is interrupted.
    func keptIfInterrupted<T>(_ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch {
            let code = (error as? StrongroomError)?.code
            let isInterrupted = error is CancellationError || code == .objectStoreUnreachable || code == .objectStore
            state.withLock { $0.isKept = $0.hasNote && isInterrupted }
            throw error
        }
    }

    /// Removes the file, unless it was moved into its place, and the note.
    func remove() throws {
        if try FileStatus.ofName(file.path)?.identity == file.status().identity {
            try FileSystem.removeCopy(file.path)
        }
        try FileSystem.removeCopy(notePath)
    }
}
