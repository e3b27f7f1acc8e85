/// A complete copy of a database under another name, with its own key, which is read back and verified. Backups and
/// rotations are based on it.
///
/// Pages are copied if only the key differs, which gives an exact copy; rows are copied if the cipher settings differ,
/// because the engine cannot copy pages of one size into those of another.
struct CheckedCopy {
    /// The database to copy.
    let file: DatabaseFile
    /// The key of the database; nil for plaintext.
    let from: DerivedKey?
    /// The key of the copy; nil for plaintext.
    let to: DerivedKey?
    /// The path of the copy.
    let path: String
    let monitor: WorkMonitor
    /// The path that the error names if a database has a defect, such as an index that does not match its table, and is
    /// refused for that; nil to copy defects, too.
    var wholeOnly: String?
    /// The name of the operation in the error for a full disk, as in "Copying".
    var purpose = "Copying"
    /// The errors of a copy for another purpose; nil for a plain copy.
    var errors: Errors?
    /// Whether the pages of the database are checked first. An engine of version 3 accepts a page of zeros as valid, so
    /// if this is false, the caller has checked them.
    var checksSource = false

    /// The errors of a copy that fails.
    struct Errors {
        /// For a copy that failed verification.
        let failed: (_ reason: String, ResultCode?) -> StrongroomError
        /// For a number of damaged pages.
        let damaged: (Int) -> StrongroomError
    }

    /// A finished copy.
    struct Made {
        /// The content of the copy.
        let summary: DatabaseSummary
        /// The copy, which keeps this name until it is moved.
        let file: PlainFile
        /// The duration of the checks before and after copying.
        let verification: Duration
    }

    private static let pagesAtOnce = 1_024

    private var target: DatabaseFile {
        DatabaseFile(path: path, name: file.name, busyTimeout: 0, log: nil, functions: file.functions)
    }

    /// Makes the copy, verifies it and synchronizes it to disk.
    ///
    /// Other connections may read and write meanwhile: one snapshot is copied.
    ///
    /// - Parameters:
    ///   - source: A connection in exclusive use, outside a transaction; afterwards it may only be closed.
    ///   - prepare: Called with the copy while it is empty.
    /// - Returns: The content of the copy, and the copy.
    /// - Throws: ``StrongroomError`` with `diskFull`, `damaged`, `fileChanged`, the code of ``Errors/failed``, or the
    ///   engine's failure; `CancellationError`; what `prepare` throws. No copy is left then.
    func make(from source: Connection, prepare: (PlainFile) throws -> Void = { _ in }) throws -> Made {
        try remove()
        do {
            // The WAL may have more pages than the file; before its first read SQLCipher 4 counts none.
            let pages = try source.ownNumber("PRAGMA page_count") * source.ownNumber("PRAGMA page_size")
            let size = try max(pages, FileStatus.at(file.path)?.size ?? 0)
            try FreeSpace.require(size + FreeSpace.margin, at: path, for: purpose)
            let copy = try PlainFile(making: path)
            try prepare(copy)
            source.stop(when: monitor.isCancelled)
            let (summary, checking) = try fill(copy, from: source, size)
            if let wholeOnly { try summary.requireWhole(wholeOnly, file.name) }
            let start = ContinuousClock.now
            try leaveWALMode()
            let found = try verify(summary, size)
            try removeLogs()
            let verification = checking + (ContinuousClock.now - start)
            try copy.synchronize()
            try copy.requireName(path)
            return Made(summary: found, file: copy, verification: verification)
        } catch {
            // The first failure is the one to report.
            try? remove()
            throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Removes the copy, and the remains of an interrupted one. Plaintext is overwritten first.
    func remove() throws {
        try FileSystem.removeCopy(path, isPlaintext: to == nil)
    }

    private func removeLogs() throws {
        for ending in ["-journal", "-wal", "-shm"] { try FileSystem.remove(path + ending) }
    }

    // MARK: Writing

    /// - Returns: The content that the copy must have, and the duration of the check of the source.
    private func fill(
        _ copy: PlainFile, from source: Connection, _ size: Int64
    ) throws -> (DatabaseSummary, checking: Duration) {
        guard from?.settings == to?.settings else { return try fillRows(copy, from: source, size) }
        return try source.inSnapshot {
            let start = ContinuousClock.now
            try checkSource(source)
            let summary = try whole(source) { try DatabaseSummary(source) }
            let checking = ContinuousClock.now - start
            let connection = try target.connect(.existing, key: to)
            defer { connection.close() }
            try copy.requireOpened(by: connection)
            connection.stop(when: monitor.isCancelled)
            try connection.run("PRAGMA journal_mode = OFF")
            try connection.run("PRAGMA synchronous = OFF")
            try whole(source) {
                try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce) { try report($0, $1, size) }
            }
            return (summary, checking)
        }
    }

    private func fillRows(
        _ copy: PlainFile, from source: Connection, _ size: Int64
    ) throws -> (DatabaseSummary, checking: Duration) {
        var start = ContinuousClock.now
        if checksSource { try source.inSnapshot { try checkSource(source) } }
        var checking = ContinuousClock.now - start
        var summary: DatabaseSummary?
        try whole(source) {
            try ContentCopy.run(from: source, to: copy, key: to, progress: { try report($0, $1, size) }) {
                start = .now
                // It was turned on for copying; an engine whose integrity check includes constraints has to check them
                // in both databases.
                try source.run("PRAGMA ignore_check_constraints = OFF")
                summary = try DatabaseSummary(source)
                checking += ContinuousClock.now - start
            }
        }
        guard let summary else { throw failed("nothing was copied") }
        return (summary, checking)
    }

    private func report(_ done: Int, _ total: Int, _ size: Int64) throws {
        try monitor.report(.writing, size * Int64(done) / Int64(max(1, total)), of: size)
    }

    // MARK: Checking

    private func checkSource(_ source: Connection) throws {
        guard checksSource, let from else { return }
        let damaged = try PageVerifier(source, PageCipher(from, settings: from.settings))
            .damagedPages(.checking, monitor)
        if !damaged.isEmpty { throw damage(damaged.count) }
    }

    /// Runs work that reads the source; the engine has no meaningful error for a damaged page.
    private func whole<T>(_ source: Connection, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where checksSource && error.code != .diskFull && source.hasMetDamage {
            throw damage(1)
        }
    }

    /// The header of the source says WAL mode, in which a copy on a read-only medium could not be opened.
    private func leaveWALMode() throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        try prove(connection)
        guard try connection.setJournalMode("DELETE") else { throw failed("it could not leave WAL mode") }
    }

    private func prove(_ connection: Connection) throws {
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw failed("the copy does not open with the new key", error.resultCode)
        }
    }

    /// Reads the copy on a new connection and compares it. A defect that the source has, too, is accepted.
    private func verify(_ summary: DatabaseSummary, _ size: Int64) throws -> DatabaseSummary {
        try monitor.report(.verifying, 0, of: size)
        if let to {
            let damaged = try PageVerifier(
                closed: PlainFile(path, followsLinks: false), PageCipher(to, settings: to.settings)
            ).damagedPages(.verifying, monitor)
            if !damaged.isEmpty { throw damage(damaged.count) }
        }
        let connection = try target.connect(.readOnly, key: to)
        defer { connection.close() }
        connection.stop(when: monitor.isCancelled)
        try prove(connection)
        let copy = try connection.inSnapshot { try DatabaseSummary(connection) }
        if let defect = copy.defect, defect != summary.defect { throw failed("the copy is not whole: \(defect)") }
        if let difference = summary.difference(to: copy) { throw failed(difference) }
        try monitor.report(.verifying, size, of: size)
        return copy
    }

    // MARK: Failures

    private func damage(_ count: Int) -> StrongroomError {
        errors?.damaged(count) ?? failed("\(count) pages of it are damaged")
    }

    private func failed(_ reason: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        if let errors { return errors.failed(reason, resultCode) }
        return StrongroomError(
            .damaged,
            """
            The copy of "\(file.path)" was not kept: \(reason). Check the disk, and the database with `verify`, then \
            try again.
            """,
            database: file.name, resultCode: resultCode)
    }
}

extension PageVerifier {
    /// Checks all pages and returns the damaged ones; reports progress in bytes.
    func damagedPages(_ phase: WorkProgress.Phase, _ monitor: WorkMonitor) throws -> [Int] {
        let pageSize = Int64(contents.pages.pageSize)
        return try damagedPages { done in
            try monitor.report(phase, Int64(done) * pageSize, of: Int64(count) * pageSize)
        }
    }
}

extension DatabaseSummary {
    /// Throws if the engine has found a defect.
    func requireWhole(_ path: String, _ name: String) throws {
        guard let defect else { return }
        throw StrongroomError(
            .damaged,
            """
            "\(path)" is not whole, so the database was not replaced: \(defect). Use an older backup, or salvage a \
            copy of this one and restore that.
            """,
            database: name)
    }
}
