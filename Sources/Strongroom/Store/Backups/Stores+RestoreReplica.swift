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
                        opening: opening, chain: chain, backup: restored.file.path, backupKeys: nil,
                        allowsPlaintext: false, monitor: monitor, former: former, written: restored.file,
                        storedEnvelope: stored
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
