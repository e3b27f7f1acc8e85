import Logging

/// Restores a migration backup; the caller holds the lock between processes, and this process has no connection to the
/// file.
struct MigrationBackupRestore {
    let opening: StoreContext
    let chain: KeyChain
    let backup: MigrationBackup

    private var copyPath: String { FileSystem.companion(of: opening.path, "restoring") }

    func run() throws {
        try FileSystem.removeCopy(copyPath)
        let content = try FileReplacement.judging(opening, needsEnvelope: true) { try FileContent.of(opening.path) }
        let keys = try opening.databaseKeys(chain, salt: content.salt ?? FileContent.of(backup.path).salt)
        try check(keys)
        do {
            try copy()
            try FileReplacement(opening: opening, path: copyPath, needsEnvelope: true).run(content, keys)
        } catch {
            try? FileSystem.removeCopy(copyPath)
            throw error
        }
    }

    /// Finds the backup's key, and reads every page.
    private func check(_ keys: DatabaseKeys) throws {
        let file = DatabaseFile(
            path: backup.path, name: opening.file.name, busyTimeout: 0, log: nil,
            functions: opening.file.functions)
        let content = try FileContent.of(backup.path)
        switch content {
        case .absent: throw gone
        case .plaintext:
            guard chain.opensPlaintext else { throw opening.plaintextFound(at: backup.path) }
            if !chain.isPlaintext { try opening.file.requireNeverEncrypted(at: backup.path) }
        case .encrypted:
            guard !chain.isPlaintext else { throw opening.encryptedFound(at: backup.path) }
            let unlocked = try DatabaseKeys(file, trying: keys.candidates, opening.ciphers).unlock(content)
            unlocked.connection.close()
            try PageCopy.checkPages(of: backup.path, unlocked.derivedKey, opening.file) {}
        }
    }

    private func copy() throws {
        guard let status = try FileSystem.requireRegular(backup.path) else { throw gone }
        try FreeSpace.require(status.size + FreeSpace.margin, at: opening.path, for: "Restoring")
        let copy = try PlainFile(making: copyPath)
        // The existing database's attributes are kept.
        let model = try FileStatus.at(opening.path) == nil ? backup.path : opening.path
        let lost = try FileAttributes.copy(of: model, to: copy)
        if !lost.isEmpty {
            opening.logger?.warning("not kept", metadata: ["attributes": .string(lost.joined(separator: ", "))])
        }
        try PlainFile.copy(backup.path, to: copy, followsLinks: false)
        try copy.synchronize()
        try copy.requireName(copyPath)
    }

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing,
            "The migration backup \"\(backup.path)\" no longer exists; use another one of `migrationBackups(of:)`.",
            database: opening.file.name)
    }
}
