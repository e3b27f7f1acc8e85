/// Rewriting each page where it is, in one transaction through the log.
extension Rotation {
    func rewriteInPlace() throws -> Outcome {
        guard let size = try FileStatus.at(file.path)?.size else {
            throw failed("the file is gone")
        }
        // The log takes every page, with a few bytes before each.
        try FreeSpace.require(size + size / 8 + FreeSpace.margin, beside: file.path, for: "Rotating")
        let checking = try rewrite(size)
        let start = ContinuousClock.now
        let connection = try provedWithNewKey()
        defer { connection.close() }
        do {
            // It is done, and is not to be called undone.
            try connection.inTransaction(.immediate) {
                let verifier = try PageVerifier(connection, PageCipher(to, settings: to.settings))
                try checkPages(verifier, .verifying, monitor.withoutCancellation)
            }
            let verification = checking + (ContinuousClock.now - start)
            // Nothing of the old pages is left in the file then; those who read from before are waited for.
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
    /// - Returns: How long the look at them took before.
    private func rewrite(_ size: Int64) throws -> Duration {
        let connection = try file.connect(.existing, key: from)
        // Whatever the engine says, another write through it might destroy the file.
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
        // From here on it cannot be cancelled.
        try monitor.report(.writing, 0, of: size)
        let meter = LogMeter(path: file.path + "-wal", size: size, monitor: monitor)
        defer { meter.stop() }
        try to.withUnsafeBytes { try connection.rekey($0) }
        try connection.run("COMMIT")
        meter.stop()
        monitor.progress(WorkProgress(.writing, size, of: size, .bytes))
        return checking
    }

    /// A fresh connection on which the new key has been proved.
    private func provedWithNewKey() throws -> Connection {
        let connection = try file.connect(.existing, key: to)
        do {
            try connection.proveKey()
            return connection
        } catch {
            connection.close()
            guard let error = error as? StrongroomError, error.code == .notADatabase else { throw error }
            throw failed("the engine said that it was, but the new key does not open it", error.resultCode)
        }
    }
}
