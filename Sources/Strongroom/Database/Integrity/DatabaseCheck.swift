/// The check of a whole database through a connection in exclusive use, outside a transaction.
struct DatabaseCheck {
    let connection: Connection
    /// Nil for plaintext.
    let cipher: PageCipher?
    /// Whether the engine's own checks are run, and not only those of the pages.
    let checksStructure: Bool
    let monitor: WorkMonitor
    /// The tables that the program declares, as far as they are known.
    var declared: [TableSchema] = []

    /// The maximum number of lines reported of one kind.
    private static let maxLines = 100

    /// Checks one snapshot of the database, while others read and write; without its full-text indexes.
    ///
    /// - Throws: `CancellationError`; ``StrongroomError`` with `busy` if others commit all the time, `fileChanged`, or
    ///   a failure of the engine that is not damage.
    func run() throws -> VerificationReport {
        let start = ContinuousClock.now
        var report = try connection.inSnapshotOfPages { log in
            guard let cipher else {
                // The pages of plaintext have no codes.
                var report = try pagesOfPlaintext()
                try checkStructure(&report)
                return report
            }
            return try check(DatabasePages(of: connection, pageSize: cipher.layout.pageSize, in: log), cipher)
        }
        report.duration = ContinuousClock.now - start
        return report
    }

    /// Adds the check of the full-text indexes to a report; others cannot write meanwhile. The engine compares an index
    /// with its table by a statement that writes, although it changes nothing.
    func addFullText(to report: inout VerificationReport) throws {
        let start = ContinuousClock.now
        report.objections += try telling {
            let indexes = try connection.inSnapshot { StoredFullText.all(in: try connection.schemaEntries()) }
            guard !indexes.isEmpty else { return [] }
            guard connection.isWriter else {
                report.unchecked += indexes.map {
                    "full-text index \"\($0.indexName)\" of table \"\($0.table)\": opened read-only"
                }
                return []
            }
            let found = try connection.inTransaction(.immediate) { try connection.fullTextFindings() }
            report.unchecked += found.unchecked
            return found.findings
        }
        report.duration += ContinuousClock.now - start
    }

    private func pagesOfPlaintext() throws -> VerificationReport {
        guard
            let count = try connection.setting("page_count").flatMap({ Int($0) }),
            let pageSize = try connection.setting("page_size").flatMap({ Int($0) })
        else {
            throw StrongroomError(
                .engine, "SQLCipher does not report the number of pages of the file.",
                database: connection.database)
        }
        return VerificationReport(pages: count, bytes: Int64(count) * Int64(pageSize), isAuthenticated: false)
    }

    private func check(_ pages: DatabasePages, _ cipher: PageCipher) throws -> VerificationReport {
        let verifier = PageVerifier(PageContents(pages: pages, cipher: cipher))
        let damaged = try verifier.damagedPages { done in
            try monitor.report(.checking, done, of: verifier.count, .pages)
        }
        return try connection.refusing(verifier.contents.refusal(of: damaged)) {
            // If the schema is damaged, only the pages themselves can be evaluated.
            let roots = damaged.isEmpty ? [] : (try? connection.schemaRoots()) ?? []
            let named = try PageOwners(contents: verifier.contents, roots: roots).name(damaged, progress: monitor.check)
            var report = VerificationReport(
                pages: verifier.count, bytes: Int64(verifier.count) * Int64(pages.pageSize), isAuthenticated: true,
                damagedPages: named)
            if checksStructure { try checkStructure(&report) }
            return report
        }
    }

    private func checkStructure(_ report: inout VerificationReport) throws {
        try monitor.report(.checkingStructure, report.pages, of: report.pages, .pages)
        report.objections = try telling { try integrityCheck(&report.unchecked) }
        let others = try telling {
            report.foreignKeyViolations = try foreignKeyCheck()
            return []
        }
        if report.objections.isEmpty { report.objections = others }
        guard report.objections.isEmpty, report.damagedPages.isEmpty else { return }
        report.objections = try telling {
            report.otherSpellings = try connection.withStandIns { _ in
                try connection.spelledTables(declared).flatMap { table in
                    try monitor.check()
                    return try table.counts()
                }
            }
            return []
        }
    }

    /// Runs one of the engine's checks; its failure is a finding.
    private func telling(_ check: () throws -> [String]) throws -> [String] {
        try monitor.check()
        do {
            return try check()
        } catch let error as StrongroomError {
            try monitor.check()
            let isFinding = [.damaged, .sql, .notADatabase, .inputOutput, .transactionEnded].contains(error.code)
            // With another key, which another process has given to the file, the pool repeats the work.
            guard isFinding, !connection.file.isOfAnotherKey else { throw error }
            return [error.message]
        }
    }

    private func integrityCheck(_ unchecked: inout [String]) throws -> [String] {
        let check = try connection.integrityCheck(most: Self.maxLines)
        unchecked = check.unchecked
        return check.findings
    }

    private func foreignKeyCheck() throws -> [VerificationReport.ForeignKeyViolation] {
        var violations: [VerificationReport.ForeignKeyViolation] = []
        try connection.withStandIns { _ in
            violations = []
            try connection.withOwnStatement("PRAGMA foreign_key_check") { statement in
                let row = Row(statement)
                while try violations.count < Self.maxLines && statement.step() {
                    violations.append(
                        VerificationReport.ForeignKeyViolation(
                            table: try row.text(at: 0), rowID: try row.integerIfPresent(at: 1),
                            parentTable: try row.text(at: 2)))
                }
            }
        }
        return violations
    }
}
