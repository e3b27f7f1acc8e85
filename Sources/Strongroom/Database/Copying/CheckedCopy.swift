/// A complete copy of a database under another name, with its own key, which is read back and compared. Backups,
/// migration backups, dry runs, restores that change the key, and rotations are based on it.
///
/// Pages are copied if only the key differs, which gives an exact copy; rows are copied if the cipher settings differ,
/// because the engine cannot copy pages of one size into those of another.
struct CheckedCopy: Sendable {
    let file: DatabaseFile
    /// The key of the database; nil for plaintext.
    let from: DerivedKey?
    /// The key of the copy; nil for plaintext.
    let to: DerivedKey?
    let path: String
    let monitor: WorkMonitor
    /// Whether the structure is also checked, as indexes that match their tables, which a copy has from its database.
    var structure = StructureCheck.none
    var countsRows = false
    /// The name of the operation in the error for a full disk, as in "Copying".
    var purpose = "Copying"
    /// The errors of a copy for another purpose; nil for a plain copy.
    var errors: Errors?

    enum StructureCheck: Sendable {
        case none
        /// A defect that the copy has from its database is reported.
        case reported
        /// A database with a defect is refused; the error names this path.
        case required(String)
    }

    struct Errors: Sendable {
        /// For a copy that failed verification.
        let failed: @Sendable (_ reason: String, ResultCode?) -> StrongroomError
        /// For a number of damaged pages of the database.
        let damaged: @Sendable (Int) -> StrongroomError
    }

    struct Made {
        /// The copy, which keeps this name until it is moved.
        let file: PlainFile
        let content: Content
        /// The duration of the checks before and after copying.
        let verification: Duration
    }

    /// What was found in a copy.
    struct Content: Sendable {
        /// The first defect of the structure; nil for none, or if it was not checked.
        var defect: String?
        /// The number of rows of each table; empty if they were not counted.
        var rowCounts: [Int64] = []
    }

    var target: DatabaseFile { file.copy(at: path) }

    /// Makes the copy, verifies it and synchronizes it to disk.
    ///
    /// Other connections may read and write meanwhile: one snapshot is copied. If it fails, no copy is left.
    ///
    /// - Parameters:
    ///   - source: A connection in exclusive use, outside a transaction; if the cipher settings change, it may only be
    ///     closed afterwards.
    ///   - prepare: Called with the copy while it is empty.
    func make(from source: Connection, prepare: (PlainFile) throws -> Void = { _ in }) throws -> Made {
        try remove()
        do {
            // The WAL may have more pages than the file; before its first read SQLCipher 4 counts none.
            let size = try max(source.databaseLength(), FileStatus.at(file.path)?.size ?? 0)
            try FreeSpace.require(size + FreeSpace.margin, at: path, for: purpose)
            let copy = try PlainFile(creating: path)
            try prepare(copy)
            let copiesPages = from?.settings == to?.settings
            let (content, verification) =
                try copiesPages
                ? copyPages(to: copy, from: source, size) : copyRows(to: copy, from: source, size)
            try monitor.report(.verifying, size, of: size)
            try SideFiles(of: path).removeEngineFiles()
            try copy.synchronize()
            try copy.requireName(path)
            return Made(file: copy, content: content, verification: verification)
        } catch {
            // The first failure is the one to report, unless plaintext is left.
            if to == nil { try remove() } else { try? remove() }
            throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Removes the copy, and the remains of an interrupted one. Plaintext is overwritten first.
    func remove() throws {
        try FileSystem.removeCopy(path, isPlaintext: to == nil)
    }

    private func report(_ phase: WorkProgress.Phase, _ done: Int, _ total: Int, _ size: Int64) throws {
        try monitor.report(phase, size * Int64(done) / Int64(max(1, total)), of: size)
    }

    // MARK: Pages

    private func copyPages(
        to copy: PlainFile, from source: Connection, _ size: Int64
    ) throws -> (Content, verification: Duration) {
        let (outcome, start) = try writeAndComparePages(to: copy, from: source, size)
        if !outcome.damagedInSource.isEmpty { throw damage(outcome.damagedInSource.count) }
        if let defect = outcome.defectOfCopy { throw failed("the copy is not equal: \(defect)") }
        var content = Content()
        switch structure {
        case .none: break
        case .reported, .required:
            content.defect = try firstDefectOfCopy(beside: [{ _ in try copy.synchronize() }])
        }
        if countsRows {
            let connection = try openCopy()
            defer { connection.close() }
            content.rowCounts = try connection.inSnapshot(connection.rowCounts)
        }
        if case .required(let name) = structure, let defect = content.defect { throw notWhole(name, defect) }
        return (content, ContinuousClock.now - start)
    }

    /// Copies all pages of a snapshot, and compares each page of the copy with the source.
    ///
    /// The engine copies, and code that shares nothing with it compares: a page that the engine read or wrote wrongly
    /// is found even if its authentication code is valid.
    ///
    /// - Returns: What the comparison has found, only the damaged pages of the source if the engine could not read
    ///   them; and when it began.
    private func writeAndComparePages(
        to copy: PlainFile, from source: Connection, _ size: Int64
    ) throws -> (PageComparison.Outcome, start: ContinuousClock.Instant) {
        try source.inSnapshotOfPages { log in
            let pageSize = try from?.settings.pageSize ?? Int(source.ownNumber("PRAGMA page_size"))
            let pages = try DatabasePages(of: source, pageSize: pageSize, in: log)
            var start = ContinuousClock.now
            do {
                try writePages(to: copy, from: source, size)
            } catch let error as StrongroomError
                where error.code != .diskFull && error.code != .interrupted && source.hasMetDamage
            {
                guard let from else { throw error }
                let damaged = try PageVerifier(PageContents(pages: pages, cipher: PageCipher(from)))
                    .damagedPages(.verifying, monitor)
                guard !damaged.isEmpty else { throw error }
                return (PageComparison.Outcome(damagedInSource: damaged), start)
            }
            start = .now
            try leaveWALMode()
            try report(.verifying, 0, pages.count, size)
            let outcome = try PageComparison(of: pages, key: from, with: copy, key: to).run {
                try report(.verifying, $0, pages.count, size)
            }
            return (outcome, start)
        }
    }

    private static let pagesAtOnce = 1_024

    private func writePages(to copy: PlainFile, from source: Connection, _ size: Int64) throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        try copy.requireOpened(by: connection)
        try connection.run("PRAGMA journal_mode = OFF")
        try connection.run("PRAGMA synchronous = OFF")
        try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce) { try report(.writing, $0, $1, size) }
    }

    // MARK: Rows

    private func copyRows(
        to copy: PlainFile, from source: Connection, _ size: Int64
    ) throws -> (Content, verification: Duration) {
        source.stop(when: monitor.isCancelled)
        var start = ContinuousClock.now
        try checkPages(of: source)
        if case .required(let name) = structure, let defect = try source.inSnapshot(source.firstDefect) {
            throw notWhole(name, defect)
        }
        let checking = ContinuousClock.now - start
        let expected = try copyContent(to: copy, from: source, size)
        start = .now
        try leaveWALMode()
        try monitor.report(.verifying, 0, of: size)
        var content = try compare(expected, with: copy)
        if let defect = content.defect {
            let own = try defects(of: source)
            guard !own.isEmpty else { throw failed("the copy is not whole: \(defect)") }
            // The entries of an index are copied as they are stored.
            try rebuildIndexes()
            content = try compare(expected, with: copy)
            // A defect that the database has, too, is accepted.
            if let defect = content.defect, !own.contains(defect) {
                throw failed("the copy is not whole: \(defect)")
            }
        }
        return (content, checking + (ContinuousClock.now - start))
    }

    /// Copies the rows.
    private func copyContent(to copy: PlainFile, from source: Connection, _ size: Int64) throws -> DatabaseSummary {
        try reportingDamage(of: source) {
            try ContentCopy.run(from: source, to: copy, key: to, progress: { try report(.writing, $0, $1, size) }) {
                // In the transaction, whose snapshot is what was copied.
                try summary(of: source)
            }
        }
    }

    /// Checks the pages first: an engine of version 3 accepts a page of zeros as valid.
    private func checkPages(of source: Connection) throws {
        guard let from else { return }
        let damaged = try source.inSnapshotOfPages { log in
            let pages = try DatabasePages(of: source, pageSize: from.settings.pageSize, in: log)
            return try PageVerifier(PageContents(pages: pages, cipher: PageCipher(from)))
                .damagedPages(.checking, monitor)
        }
        if !damaged.isEmpty { throw damage(damaged.count) }
    }

    /// Runs work that reads the source; the engine has no meaningful error for a damaged page.
    private func reportingDamage<T>(of source: Connection, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where from != nil && error.code != .diskFull && source.hasMetDamage {
            throw damage(1)
        }
    }

    private func checkPagesOfCopy() throws {
        guard let to else { return }
        let damaged = try PageVerifier(closed: PlainFile(path, followsLinks: false), PageCipher(to))
            .damagedPages(.verifying, monitor)
        if !damaged.isEmpty { throw failed("the copy has \(damaged.count.counting("damaged page"))") }
    }

    /// Reads the copy on new connections: its pages, its structure, since its b-trees are new, and its rows. What is
    /// read is written to the disk at the same time.
    private func compare(_ expected: DatabaseSummary, with copy: PlainFile) throws -> Content {
        let content = Locked(Content())
        let damage = Locked<(any Error)?>(nil)
        let pages: SharedWork.Job = { _ in
            do {
                try checkPagesOfCopy()
                try copy.synchronize()
            } catch {
                damage.withLock { $0 = error }
                throw error
            }
        }
        let rows: SharedWork.Job = { hasFailed in
            let connection = try openCopy { monitor.isCancelled() || hasFailed() }
            defer { connection.close() }
            let found = try connection.inSnapshot { try summary(of: connection) }
            if let difference = expected.difference(to: found) { throw failed(difference) }
            content.withLock { $0.rowCounts = found.tables.values.map(\.count) }
        }
        do {
            let defect = try firstDefectOfCopy(beside: [pages, rows])
            content.withLock { $0.defect = defect }
        } catch {
            // A damaged page is the cause of what the others meet.
            throw damage.withLock { $0 } ?? error
        }
        return content.withLock { $0 }
    }

    private func firstDefectOfCopy(beside others: [SharedWork.Job]) throws -> String? {
        try Connection.firstDefect(beside: others, isCancelled: monitor.isCancelled) { try openCopy() }
    }

    private func summary(of connection: Connection) throws -> DatabaseSummary {
        try DatabaseSummary(connection) { _, _ in try monitor.check() }
    }

    /// Builds the indexes of the copy anew, except those that the rows do not fit.
    private func rebuildIndexes() throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        connection.stop(when: monitor.isCancelled)
        try prove(connection)
        // A rollback journal in a file would have old pages of a plaintext copy.
        guard try connection.setJournalMode("MEMORY") else { throw failed("it has a log") }
        for name in try connection.schemaNames(of: .index) {
            do {
                try connection.run("REINDEX main.\(Identifier.quote(name))")
            } catch let error as StrongroomError where [.constraint, .notUnique, .sql].contains(error.code) {
                continue
            }
        }
    }

    private func defects(of source: Connection) throws -> [String] {
        // It was turned on for copying; an engine whose integrity check includes constraints has to check them in both
        // databases.
        try source.run("PRAGMA ignore_check_constraints = OFF")
        return try source.inSnapshot { try source.integrityCheck(most: Self.mostDefects).findings }
    }

    /// The number of defects of the database among which one of the copy is looked for: the default of the engine.
    private static var mostDefects: Int { 100 }

    // MARK: The copy

    /// The header of the source says WAL mode, in which a copy on a read-only medium could not be opened.
    private func leaveWALMode() throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        try prove(connection)
        guard try connection.setJournalMode("DELETE") else { throw failed("it could not leave WAL mode") }
    }

    private func openCopy(stop isStopped: (@Sendable () -> Bool)? = nil) throws -> Connection {
        let connection = try target.connect(.readOnly, key: to)
        connection.stop(when: isStopped ?? monitor.isCancelled)
        try prove(connection)
        return connection
    }

    private func prove(_ connection: Connection) throws {
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw failed("the copy does not open with the new key", error.resultCode)
        }
    }

    // MARK: Failures

    private func damage(_ count: Int) -> StrongroomError {
        errors?.damaged(count)
            ?? StrongroomError(
                .damaged,
                """
                "\(file.path)" has \(count.counting("damaged page")), so it was not copied. \
                \(StrongroomError.Code.damaged.advice)
                """,
                database: file.name)
    }

    private func failed(_ reason: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        if let errors { return errors.failed(reason, resultCode) }
        return StrongroomError(
            .copyDamaged,
            """
            The copy of "\(file.path)" was not kept: \(reason). Check the disk, and the database with `verify`, then \
            try again.
            """,
            database: file.name, resultCode: resultCode)
    }

    private func notWhole(_ path: String, _ defect: String) -> StrongroomError {
        StrongroomError.notWhole(path, defect, database: file.name)
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

    /// Throws if a page of a file that no process has open is damaged.
    static func requireIntact(_ path: String, _ key: DerivedKey?, _ database: String, _ monitor: WorkMonitor) throws {
        guard let key else { return }
        let verifier = try PageVerifier(
            closed: PlainFile(path, followsLinks: false), PageCipher(key))
        let damaged = try verifier.damagedPages(.checking, monitor)
        guard !damaged.isEmpty else { return }
        throw StrongroomError(
            .damaged,
            "\"\(path)\" has \(damaged.count.counting("damaged page")). Check the disk, then try again.",
            database: database)
    }
}

extension StrongroomError {
    /// The error for a backup in whose structure the engine has found a defect.
    static func notWhole(_ path: String, _ defect: String, database: String) -> StrongroomError {
        StrongroomError(
            .damaged,
            """
            "\(path)" is not whole, so the database was not replaced: \(defect). Use an older backup, or salvage a \
            copy of this one and restore that.
            """,
            database: database)
    }
}
