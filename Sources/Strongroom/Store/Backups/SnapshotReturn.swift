import Logging

/// Restores a snapshot; the caller holds the lock between processes, and this process has no connection to the file.
struct SnapshotReturn {
    let opening: StoreContext
    let chain: KeyChain
    let snapshot: Snapshot

    private var copyPath: String { FileSystem.companion(of: opening.path, "restoring") }

    func run() throws {
        try FileSystem.remove(copyPath)
        let content = try FileReplacement.judging(opening, needsEnvelope: true) { try FileContent.of(opening.path) }
        let keys = try opening.databaseKeys(chain, salt: content.salt ?? FileContent.of(snapshot.path).salt)
        try check(keys)
        do {
            try copy()
            try FileReplacement(opening: opening, path: copyPath, needsEnvelope: true).run(content, keys)
        } catch {
            try? FileSystem.remove(copyPath)
            throw error
        }
    }

    /// Finds the snapshot's key, and reads every page.
    private func check(_ keys: DatabaseKeys) throws {
        let file = DatabaseFile(
            path: snapshot.path, name: opening.file.name, busyTimeout: 0, log: nil,
            functions: opening.file.functions)
        let content = try FileContent.of(snapshot.path)
        switch content {
        case .absent: throw gone
        case .plaintext:
            guard chain.opensPlaintext else { throw opening.plaintextFound(at: snapshot.path) }
        case .encrypted:
            guard !chain.isPlaintext else { throw opening.encryptedFound(at: snapshot.path) }
            let unlocked = try DatabaseKeys(file, trying: keys.candidates, opening.ciphers).unlock(content)
            unlocked.connection.close()
            try PageCopy.checkPages(of: snapshot.path, unlocked.derivedKey, opening.file) {}
        }
    }

    private func copy() throws {
        guard let status = try FileSystem.requireRegular(snapshot.path) else { throw gone }
        try FreeSpace.require(status.size + FreeSpace.margin, beside: opening.path, for: "Restoring")
        let copy = try PlainFile(making: copyPath)
        // The existing database's attributes are kept.
        let model = try FileStatus.at(opening.path) == nil ? snapshot.path : opening.path
        let lost = try FileAttributes.copy(of: model, to: copy)
        if !lost.isEmpty {
            opening.logger?.warning("not kept", metadata: ["attributes": .string(lost.joined(separator: ", "))])
        }
        try PlainFile.copy(snapshot.path, to: copy, followsLinks: false)
        try copy.synchronize()
        try copy.requireName(copyPath)
    }

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing, "The snapshot \"\(snapshot.path)\" is gone; give another one of `snapshots(of:)`.",
            database: opening.file.name)
    }
}
