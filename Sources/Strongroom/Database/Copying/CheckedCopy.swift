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
    /// What errors say of the database.
    var outcome = "was not copied"
    /// The code of the error for a copy that failed verification.
    var code: StrongroomError.Code = .copyDamaged

    enum StructureCheck: Equatable {
        case none
        /// A defect that the copy has from its database is reported.
        case reported
        /// A database with a defect is refused; the error names this path.
        case required(String)
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
    /// - Returns: The copy, what was found in it, and the duration of the checks before and after copying.
    func make(
        from source: Connection, prepare: (PlainFile) throws -> Void = { _ in }
    ) throws -> (file: PlainFile, content: Content, verification: Duration) {
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
            return (copy, content, verification)
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
        let start = try writeAndComparePages(to: copy, from: source, size)
        var content = Content()
        if structure != .none {
            content.defect = try firstDefectOfCopy(beside: [{ _ in try copy.synchronize() }])
        }
        if countsRows {
            let connection = try openCopy()
            defer { connection.close() }
            content.rowCounts = try connection.inSnapshot(connection.rowCounts)
        }
        if case .required(let name) = structure, let defect = content.defect {
            throw StrongroomError.notIntact(name, defect, database: file.name)
        }
        return (content, ContinuousClock.now - start)
    }

    /// Copies all pages of a snapshot, and compares each page of the copy with the source.
    ///
    /// The engine copies, and code that shares nothing with it compares: a page that the engine read or wrote wrongly
    /// is found even if its authentication code is valid.
    ///
    /// - Returns: When the comparison began.
    private func writeAndComparePages(
        to copy: PlainFile, from source: Connection, _ size: Int64
    ) throws -> ContinuousClock.Instant {
        try source.inSnapshotOfPages { log in
            let pageSize = try from?.settings.pageSize ?? Int(source.ownNumber("PRAGMA page_size"))
            let pages = try DatabasePages(of: source, pageSize: pageSize, in: log)
            do {
                try writePages(to: copy, from: source, size)
            } catch let error as StrongroomError
                where error.code != .diskFull && error.code != .interrupted && source.hasMetDamage
            {
                // The engine does not name the damaged pages.
                if let from {
                    try PageVerifier(PageContents(pages: pages, cipher: PageCipher(from)))
                        .requireIntact(.verifying, monitor, or: damaged)
                }
                throw error
            }
            let start = ContinuousClock.now
            try leaveWALMode()
            try report(.verifying, 0, pages.count, size)
            let found = try PageComparison(of: pages, key: from, with: copy, key: to).run {
                try report(.verifying, $0, pages.count, size)
            }
            if found.damagedInSource > 0 { throw damaged(found.damagedInSource) }
            if let defect = found.defectOfCopy { throw failed("the copy is not equal: \(defect)") }
            return start
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
            throw StrongroomError.notIntact(name, defect, database: file.name)
        }
        let checking = ContinuousClock.now - start
        let expected = try copyContent(to: copy, from: source, size)
        start = .now
        try leaveWALMode()
        try monitor.report(.verifying, 0, of: size)
        var content = try compare(expected, with: copy)
        if let defect = content.defect {
            let own = try defects(of: source)
            guard !own.isEmpty else { throw failed("the copy is not intact: \(defect)") }
            // The entries of an index are copied as they are stored.
            try rebuildIndexes()
            content = try compare(expected, with: copy)
            // A defect that the database has, too, is accepted.
            if let defect = content.defect, !own.contains(defect) {
                throw failed("the copy is not intact: \(defect)")
            }
        }
        return (content, checking + (ContinuousClock.now - start))
    }

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
        try source.inSnapshotOfPages { log in
            let pages = try DatabasePages(of: source, pageSize: from.settings.pageSize, in: log)
            try PageVerifier(PageContents(pages: pages, cipher: PageCipher(from)))
                .requireIntact(.checking, monitor, or: damaged)
        }
    }

    /// Runs work that reads the source; the engine has no meaningful error for a damaged page.
    private func reportingDamage<T>(of source: Connection, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where from != nil && error.code != .diskFull && source.hasMetDamage {
            throw damaged(1)
        }
    }

    private func checkPagesOfCopy() throws {
        guard let to else { return }
        try PageVerifier(closed: PlainFile(path, followsLinks: false), PageCipher(to))
            .requireIntact(.verifying, monitor) { failed("the copy has \($0.counting("damaged page"))") }
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
        try DatabaseSummary(connection, checkCancellation: monitor.check)
    }

    /// Builds the indexes of the copy anew, except those that the rows do not fit.
    private func rebuildIndexes() throws {
        try change { connection in
            for name in try connection.schemaNames(of: .index) {
                do {
                    try connection.run("REINDEX main.\(Identifier.quote(name))")
                } catch let error as StrongroomError where [.constraint, .notUnique, .sql].contains(error.code) {
                    continue
                }
            }
        }
    }

    private func defects(of source: Connection) throws -> [String] {
        // It was turned on for copying; an engine whose integrity check includes constraints has to check them in both
        // databases.
        try source.run("PRAGMA ignore_check_constraints = OFF")
        return try source.inSnapshot { try source.integrityCheck(most: Self.mostDefects).findings }
    }

    /// The number of defects of the database among which that of the copy is searched: the default of the engine.
    private static var mostDefects: Int { 100 }

    // MARK: The copy

    /// Changes the copy on a connection of its own; it is not synchronized to disk then.
    func change(_ work: (Connection) throws -> Void) throws {
        let connection = try openCopy(.existing)
        defer { connection.close() }
        // A rollback journal in a file would have old pages of a plaintext copy.
        guard try connection.setJournalMode("MEMORY") else { throw failed("it has a log") }
        try work(connection)
    }

    /// The header of the source says WAL mode, in which a copy on a read-only medium could not be opened.
    private func leaveWALMode() throws {
        let connection = try openCopy(.existing)
        defer { connection.close() }
        guard try connection.setJournalMode("DELETE") else { throw failed("it could not leave WAL mode") }
    }

    private func openCopy(
        _ mode: Connection.Mode = .readOnly, stop isStopped: (@Sendable () -> Bool)? = nil
    ) throws -> Connection {
        let connection = try target.connect(mode, key: to)
        connection.stop(when: isStopped ?? monitor.isCancelled)
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw failed("the copy does not open with the new key", error.resultCode)
        }
        return connection
    }

    // MARK: Failures

    func damaged(_ count: Int) -> StrongroomError {
        StrongroomError(
            .damaged,
            """
            "\(file.path)" has \(count.counting("damaged page")), so it \(outcome). \
            \(StrongroomError.Code.damaged.advice)
            """,
            database: file.name)
    }

    /// The error for a copy that failed verification, or another failure of the same operation.
    func failed(_ reason: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            code,
            """
            "\(file.path)" \(outcome): \(reason). Check the disk and its free space, and the database with `verify`; \
            then try again.
            """,
            database: file.name, resultCode: resultCode)
    }
}

extension PageVerifier {
    /// Checks all pages, and throws if any is damaged; reports progress in bytes.
    func requireIntact(
        _ phase: WorkProgress.Phase, _ monitor: WorkMonitor, or error: (_ count: Int) -> StrongroomError
    ) throws {
        let pageSize = Int64(contents.pages.pageSize)
        let damaged = try damagedPages { done in
            try monitor.report(phase, Int64(done) * pageSize, of: Int64(count) * pageSize)
        }
        if !damaged.isEmpty { throw error(damaged.count) }
    }
}

extension StrongroomError {
    static func notIntact(_ path: String, _ defect: String, database: String) -> StrongroomError {
        StrongroomError(
            .damaged,
            """
            "\(path)" is not intact, so the database was not replaced: \(defect). Use an older backup, or salvage a \
            copy of this one and restore that.
            """,
            database: database)
    }
}
