/// A whole copy of a database under another name, with a key of its own, read again before it counts. Backups and
/// rotations are made of it.
///
/// Pages are copied where only the key differs, which is exact; rows where the copy is encrypted in another way, since
/// the engine cannot copy pages of one size into those of another.
struct CheckedCopy {
    /// The database that is copied.
    let file: DatabaseFile
    /// What opens it; nil for plaintext.
    let from: DerivedKey?
    /// What opens the copy; nil for plaintext.
    let to: DerivedKey?
    /// Where the copy is made.
    let path: String
    let monitor: WorkMonitor
    /// By which path a database with a defect, such as an index that does not fit its table, is refused; nil to carry
    /// defects over.
    var wholeOnly: String?
    /// What the error calls the work when there is no room, as in "Copying".
    var purpose = "Copying"
    /// The errors of a copy for another purpose than a copy; nil for one.
    var errors: Errors?
    /// Whether the pages of the database are checked first. An engine of version 3 takes a page of zeros for sound, so
    /// where they are not, the caller has checked them.
    var checksSource = false

    /// The errors of a copy that cannot be made.
    struct Errors {
        /// For a copy that is not as it has to be.
        let failed: (_ reason: String, ResultCode?) -> StrongroomError
        /// For a number of damaged pages.
        let damaged: (Int) -> StrongroomError
    }

    /// A finished copy.
    struct Made {
        /// What the copy has.
        let summary: DatabaseSummary
        /// It has its name until it is put elsewhere.
        let file: PlainFile
        /// How long the checks took, before and after.
        let verification: Duration
    }

    private static let pagesAtOnce = 1_024

    private var target: DatabaseFile { DatabaseFile(path: path, name: file.name, busyTimeout: 0, log: nil) }

    /// Makes the copy, checks it and brings it to the disk.
    ///
    /// Others may read and write meanwhile: one snapshot is copied.
    ///
    /// - Parameters:
    ///   - source: A connection that nothing else uses, outside a transaction; nothing may be done with it afterwards
    ///     but closing.
    ///   - prepare: Called with the copy as long as it is empty.
    /// - Returns: What the copy has, and the copy.
    /// - Throws: ``StrongroomError`` with `diskFull`, `damaged`, `fileChanged`, the code of ``Errors/failed``, or the
    ///   engine's failure; `CancellationError`; what `prepare` throws. No copy is left then.
    func make(from source: Connection, prepare: (PlainFile) throws -> Void = { _ in }) throws -> Made {
        try remove()
        do {
            let size = try source.ownNumber("PRAGMA page_count") * source.ownNumber("PRAGMA page_size")
            try FreeSpace.require(size + FreeSpace.margin, beside: path, for: purpose)
            let copy = try PlainFile(making: path)
            try prepare(copy)
            source.stop(when: monitor.isCancelled)
            let (summary, checking) = try fill(copy, from: source, size)
            if let wholeOnly { try summary.requireWhole(wholeOnly, file.name) }
            let start = ContinuousClock.now
            try becomeOneFile()
            let found = try verify(summary, size)
            try removeLogs()
            let verification = checking + (ContinuousClock.now - start)
            try copy.synchronize()
            try copy.requireName(path)
            return Made(summary: found, file: copy, verification: verification)
        } catch {
            // What failed first counts.
            try? remove()
            throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Removes the copy, and what an interrupted one left. What is plaintext is overwritten first.
    func remove() throws {
        try FileSystem.removeCopy(path, isPlaintext: to == nil)
    }

    private func removeLogs() throws {
        for ending in ["-journal", "-wal", "-shm"] { try FileSystem.remove(path + ending) }
    }

    // MARK: Writing

    /// - Returns: What the copy must have, and how long the look at the source took.
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
                // It was switched off for the copying, and an engine that looks at constraints is to look at them in
                // both.
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

    /// The pages of the source say that there is a log, which a copy on a medium that cannot be written would not get.
    private func becomeOneFile() throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        try prove(connection)
        guard try connection.setJournalMode("DELETE") else { throw failed("its log could not be given up") }
    }

    private func prove(_ connection: Connection) throws {
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw failed("the copy does not open with the new key", error.resultCode)
        }
    }

    /// Reads the copy on a fresh connection and compares it. A defect that the database had before is carried over.
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
        if copy.defects != [[.text("ok")]], copy.defects != summary.defects {
            throw failed("the copy is not whole: \(copy.defects.first?.first?.asText ?? "no answer")")
        }
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
            The copy of "\(file.path)" was not kept: \(reason). Look at the disk and at the database with `verify`, \
            then try again.
            """,
            database: file.name, resultCode: resultCode)
    }
}

extension PageVerifier {
    /// The damaged pages; bytes are reported.
    func damagedPages(_ phase: WorkProgress.Phase, _ monitor: WorkMonitor) throws -> [Int] {
        let pageSize = Int64(contents.pages.pageSize)
        return try damagedPages { done in
            try monitor.report(phase, Int64(done) * pageSize, of: Int64(count) * pageSize)
        }
    }
}

extension DatabaseSummary {
    /// Throws where the engine has found something wrong.
    func requireWhole(_ path: String, _ name: String) throws {
        guard defects != [[.text("ok")]] else { return }
        let words = defects.first?.first?.asText ?? "integrity_check gave no answer"
        throw StrongroomError(
            .damaged,
            """
            "\(path)" is not whole, so nothing was put in the database's place: \(words). Take an older backup, or \
            salvage a copy of this one and restore that.
            """,
            database: name)
    }
}
