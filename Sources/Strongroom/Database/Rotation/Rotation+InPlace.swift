/// Rewriting each page in place, in one transaction through the WAL.
extension Rotation {
    func rewriteInPlace() throws -> Outcome {
        guard let size = try FileStatus.at(file.path)?.size else {
            throw failed("the file is gone")
        }
        // The WAL receives every page, with a few bytes before each.
        try FreeSpace.require(size + size / 8 + FreeSpace.margin, at: file.path, for: "Rotating")
        let checking = try rewrite(size)
        let start = ContinuousClock.now
        let connection = try provedWithNewKey()
        defer { connection.close() }
        do {
            // The rotation is committed and can no longer be cancelled.
            try connection.inTransaction(.immediate) {
                let verifier = try PageVerifier(connection, PageCipher(to, settings: to.settings))
                try checkPages(verifier, .verifying, monitor.withoutCancellation)
            }
            let verification = checking + (ContinuousClock.now - start)
            // Removes the old pages from the file; waits for readers of older snapshots.
            try connection.run("PRAGMA synchronous = FULL")
            let checkpoint = connection.checkpointAfterCommit()
            connection.close()
            try FileSystem.synchronize(file.path)
            try FileSystem.synchronize(FileSystem.directory(of: file.path))
            return Outcome(
                method: .inPlace, bytes: size, isOldContentGone: checkpoint.isComplete, verification: verification)
        } catch {
            throw incomplete(error)
        }
    }

    /// Rewrites the pages.
    ///
    /// - Returns: How long the check of the pages before took.
    private func rewrite(_ size: Int64) throws -> Duration {
        let connection = try file.connect(.existing, key: from)
        // Whatever the engine reports, another write through this connection might destroy the file.
        defer { connection.close() }
        try connection.proveKey()
        guard try connection.setJournalMode("WAL") else {
            throw failed("the file system does not allow a write-ahead log")
        }
        try connection.run("PRAGMA synchronous = FULL")
        try connection.begin(.immediate)
        let start = ContinuousClock.now
        if let from {
            try checkPages(PageVerifier(connection, PageCipher(from, settings: from.settings)), .checking)
        }
        let checking = ContinuousClock.now - start
        // From here on the rotation can no longer be cancelled.
        try monitor.report(.writing, 0, of: size)
        let meter = LogMeter(path: file.logPath, size: size, monitor: monitor)
        defer { meter.stop() }
        try to.withUnsafeBytes { try connection.rekey($0) }
        try connection.run(.commit)
        meter.stop()
        monitor.progress(WorkProgress(.writing, size, of: size, .bytes))
        return checking
    }

    /// A new connection that has proved the new key.
    private func provedWithNewKey() throws -> Connection {
        let connection = try file.connect(.existing, key: to)
        do {
            try connection.proveKey()
            return connection
        } catch {
            connection.close()
            guard let error = error as? StrongroomError, error.code == .notADatabase else { throw error }
            throw failed("the engine reported success, but the new key does not open it", error.resultCode)
        }
    }
}
