/// Puts a snapshot in its file's place; the lock between processes is held, and this process has no connection to the file.
struct SnapshotReturn {
    let opening: StoreOpening
    let chain: KeyChain
    let snapshot: Snapshot

    private var copyPath: String { FileSystem.companion(of: opening.path, "restoring") }

    func run() throws {
        try FileSystem.remove(copyPath)
        let content = try FileContent.of(opening.path)
        let keys = try opening.fileKeys(chain, salt: content.salt ?? FileContent.of(snapshot.path).salt)
        try check(keys)
        do {
            try copy()
            try replace(content, keys)
        } catch {
            try? FileSystem.remove(copyPath)
            throw error
        }
    }

    /// Finds the snapshot's key, and reads every page of it.
    private func check(_ keys: FileKeys) throws {
        let file = DatabaseFile(path: snapshot.path, name: opening.file.name, busyTimeout: 0, log: nil)
        switch try FileContent.of(snapshot.path) {
        case .absent: break
        case .plaintext:
            guard chain.opensPlaintext else { throw opening.plaintextFound }
        case .encrypted(let salt, let size):
            guard !chain.isPlaintext else { throw opening.encryptedFound }
            let choice = try KeyChoice.find(
                in: KeyChain(unchecked: keys.candidates), opening.ciphers, for: file, salt: salt, size: size)
            choice.connection.close()
            try PageCopy.checkPages(of: snapshot.path, choice.derived, opening.file) {}
        }
    }

    /// Bytes that are copied at one time.
    private static let portion = 1 << 20

    private func copy() throws {
        guard let status = try FileStatus.at(snapshot.path) else { return }
        try FreeSpace.require(status.size + Rotation.margin, beside: opening.path, for: "Restoring")
        try FileSystem.createFile(copyPath)
        try FileSystem.setAccess(like: status, of: copyPath)
        let (source, target) = (try PlainFile(snapshot.path), try PlainFile(copyPath, isWritable: true))
        try withUnsafeTemporaryAllocation(byteCount: Self.portion, alignment: 16) { buffer in
            var place: Int64 = 0
            while true {
                let count = try source.read(at: place, into: buffer)
                if count == 0 { break }
                try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: place)
                place += Int64(count)
            }
        }
        try FileSystem.synchronize(copyPath)
    }

    private func replace(_ content: FileContent, _ keys: FileKeys) throws {
        guard content != .absent else {
            guard try !opening.file.hasLog() else { throw logIsLeft }
            try FileSystem.moveIntoPlace(copyPath, opening.path)
            return try FileSystem.synchronize(FileSystem.directory(of: opening.path))
        }
        let connection = try whole(content, keys)
        defer { connection.close() }
        // Without it the engine would play the old file's log into the new one.
        try connection.mergeLog {}
        try FileSystem.replace(opening.path, with: copyPath)
        try FileSystem.synchronize(FileSystem.directory(of: opening.path))
    }

    /// A connection that has the file alone.
    private func whole(_ content: FileContent, _ keys: FileKeys) throws -> Connection {
        var key: DerivedKey?
        if case .encrypted(let salt, let size) = content {
            let choice = try keys.find(salt: salt, size: size)
            choice.connection.close()
            key = choice.derived
        }
        let connection = try opening.file.connect(.existing, key: key)
        do {
            try connection.proveKey()
            connection.setBusyTimeout(milliseconds: 0)
            guard try connection.takeWholeFile(), try FileHolders.describeOpen(opening.path).isEmpty else {
                throw heldByOthers
            }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    private var heldByOthers: StrongroomError {
        let holders = (try? FileHolders.describeOpen(opening.path)) ?? ""
        return StrongroomError(
            .locked,
            """
            «\(opening.path)» has to be had alone to be restored, and is open elsewhere\(holders.isEmpty ? "" : ": \(holders)"). Close it \
            there, then try again; nothing was changed.
            """,
            database: opening.file.name
        )
    }

    private var logIsLeft: StrongroomError {
        StrongroomError(
            .fileMissing,
            """
            There is no «\(opening.path)», but beside it lies its log, which the engine would play into the snapshot. Move away \
            «\(opening.path)-wal» and «\(opening.path)-journal», then restore.
            """,
            database: opening.file.name
        )
    }
}
