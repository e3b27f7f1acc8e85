/// Rewriting by a copy that takes the file's place.
extension Rotation {
    /// Pages between two looks at whether it is cancelled.
    private static let pagesAtOnce = 2_048

    /// - Parameter source: A connection that has the file alone; nothing may be done with it afterwards but closing.
    func copy(_ source: Connection) throws -> Outcome {
        try source.mergeLog {
            // Its pages are in the file; in the log they would be left in the free space of the disk.
            if from == nil, try FileStatus.at(file.path + "-wal") != nil {
                try FileSystem.overwrite(file.path + "-wal")
            }
        }
        guard let status = try FileStatus.at(file.path) else { throw gone }
        try FreeSpace.require(status.size + Self.margin, beside: file.path, for: "Rotating")
        var isInPlace = false
        defer { if !isInPlace { try? removeLeftovers() } }
        try FileSystem.createFile(copyPath)
        let (summary, isWritten) = try write(source, size: status.size)
        let start = ContinuousClock.now
        try verifyCopy(summary, size: status.size)
        let verification = isWritten.verification + (ContinuousClock.now - start)
        try FileSystem.setPermissions(status.permissions, of: copyPath)
        try FileSystem.synchronize(copyPath)
        let hasSecondName = try from == nil && FileSystem.addName(plaintextPath, to: file.path)
        // The last moment at which it can be cancelled.
        if watcher.isCancelled() { throw CancellationError() }
        try FileSystem.replace(file.path, with: copyPath)
        isInPlace = true
        try FileSystem.synchronize(FileSystem.directory(of: file.path))
        source.close()
        try removeLeftovers()
        return Outcome(
            method: .copy,
            bytes: status.size,
            isOldContentGone: from != nil || hasSecondName,
            verification: verification
        )
    }

    /// Fills the copy.
    private func write(_ source: Connection, size: Int64) throws -> (DatabaseSummary, (verification: Duration, Void)) {
        let target = DatabaseFile(path: copyPath, name: file.name, busyTimeout: 0, log: nil)
        guard from?.settings == to.settings else {
            let start = ContinuousClock.now
            let summary = try source.inSnapshot { try whole(source) { try DatabaseSummary(source) } }
            let verification = ContinuousClock.now - start
            try whole(source) {
                try ContentCopy.run(from: source, to: copyPath, key: to) { done, total in
                    try watcher.tell(.writing, size * Int64(done) / Int64(max(1, total)), size)
                }
            }
            return (summary, (verification, ()))
        }
        // One that could write would be busy for the copying; the file is the connection's alone all the same.
        return try source.inSnapshot {
            let start = ContinuousClock.now
            let summary = try whole(source) { try DatabaseSummary(source) }
            let verification = ContinuousClock.now - start
            let connection = try target.connect(.existing, key: to)
            defer { connection.close() }
            try connection.run("PRAGMA journal_mode = OFF")
            try connection.run("PRAGMA synchronous = OFF")
            try whole(source) {
                try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce) { done, total in
                    try watcher.tell(.writing, size * Int64(done) / Int64(max(1, total)), size)
                }
            }
            return (summary, (verification, ()))
        }
    }

    /// Runs work that reads a file; the engine has no meaningful error for a damaged page.
    func whole<T>(_ connection: Connection, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where error.code != .diskFull && connection.hasMetDamage {
            throw damaged
        }
    }

    private var damaged: StrongroomError {
        StrongroomError(
            .damaged,
            "«\(file.path)» has a damaged page, so it was not rotated. Restore it from a backup, then rotate.",
            database: file.name
        )
    }

    /// Reads the copy with the new key and compares it.
    private func verifyCopy(_ summary: DatabaseSummary, size: Int64) throws {
        try watcher.tell(.verifying, 0, size)
        let copy = DatabaseFile(path: copyPath, name: file.name, busyTimeout: 0, log: nil)
        let connection = try copy.connect(.readOnly, key: to)
        defer { connection.close() }
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw failed("the copy does not open with the new key", error.resultCode)
        }
        try verify(connection, summary)
        try watcher.tell(.verifying, size, size)
    }

    /// Reads everything through a connection with the new key.
    func verify(_ connection: Connection, _ summary: DatabaseSummary) throws {
        let defects = try connection.ownRows("PRAGMA integrity_check(1)")
        guard defects == [[.text("ok")]] else {
            throw StrongroomError(
                .damaged,
                """
                The database «\(file.path)» is not whole, so it was not rotated: \(defects.first?.first.map(Self.words) ?? "no answer"). \
                It was so before; restore it from a backup, or rebuild its indexes (REINDEX), then rotate.
                """,
                database: file.name
            )
        }
        if let difference = try summary.difference(to: DatabaseSummary(connection)) { throw failed(difference) }
    }

    private static func words(_ value: Value) -> String {
        if case .text(let text) = value { return text }
        return "no text"
    }

    func failed(_ reason: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .rotationFailed,
            """
            «\(file.path)» was not rotated, and is on the key that it had: \(reason). Look at the disk and its free space, then try again.
            """,
            database: file.name,
            resultCode: resultCode
        )
    }

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing, "The file «\(file.path)» is gone. Bring it back, then try again.", database: file.name)
    }
}
