import Logging

/// A database that is being written page by page, to be restored.
package final class RestoredFile: Sendable {
    let file: PlainFile

    fileprivate init(_ file: PlainFile) { self.file = file }

    /// Writes a page.
    ///
    /// - Parameter number: The page's number, counted from 1.
    package func write(_ page: UnsafeRawBufferPointer, as number: UInt32) throws {
        try file.write(page, at: Int64(number - 1) * Int64(page.count))
    }

    /// Sets the length of the file.
    package func resize(to length: Int64) throws { try file.truncate(to: length) }

    /// The length of the file, in bytes.
    package func length() throws -> Int64 { try file.size() }
}

extension Stores {
    /// Replaces a database, or creates it, with pages that a function writes; as `restore(_:from:)` does with a backup.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be open.
    ///   - progress: As for a backup.
    ///   - beforeReplacing: As `whenRestored`, before the database is replaced.
    ///   - whenRestored: Called with the path of the record of what was shipped to the replica, when the database is in
    ///     its place and the lock between processes is held.
    ///   - fill: Writes every page, and returns the envelope that belongs to them; nil if they have none.
    /// - Throws: As `restore(_:from:)`; what the function throws. The database is unchanged then.
    package func restoreReplica(
        _ fileName: String, progress: @escaping @Sendable (WorkProgress) -> Void,
        beforeReplacing: @Sendable (_ recordPath: (String) -> String) async throws -> Void = { _ in },
        whenRestored: @Sendable (_ recordPath: (String) -> String) async throws -> Void = { _ in },
        fill: @Sendable (RestoredFile) async throws -> [UInt8]?
    ) async throws -> BackupReport {
        try await withClosedFile(fileName) { opening, chain in
            let path = BackupRestore.rawPath(of: opening.path)
            try FileSystem.removeCopy(path)
            do {
                let restored = RestoredFile(try PlainFile(making: path))
                let stored = try await fill(restored)
                let envelope = EnvelopeFile(databasePath: opening.path, name: opening.name.fileName)
                let isNew = try stored != nil && !envelope.exists()
                if isNew, let stored { try envelope.create(stored: stored) }
                // The database's own envelope may be a newer one, without the key that the file had.
                let formerKeys = try isNew || stored == nil ? [] : envelope.fileKeys(ofStored: stored ?? [], chain)
                var isReplaced = false
                do {
                    try await beforeReplacing { opening.file.replicaRecordPath($0) }
                    let report = try await WorkMonitor.run(progress) { monitor in
                        try restored.file.synchronize()
                        return try BackupRestore(
                            opening: opening, chain: chain, backup: path, backupKeys: nil, allowsPlaintext: false,
                            monitor: monitor, formerKeys: formerKeys, written: restored.file
                        ).run()
                    }
                    isReplaced = true
                    opening.logger?.notice("restored", metadata: ["backup": "a replica"])
                    try await whenRestored { opening.file.replicaRecordPath($0) }
                    return report
                } catch {
                    // It belongs to no file: an envelope alone would keep the database from being created or opened.
                    if isNew, !isReplaced { try envelope.remove() }
                    throw error
                }
            } catch {
                try? FileSystem.removeCopy(path)
                throw error
            }
        }
    }
}
