/// The check of a whole database through a connection in exclusive use, outside a transaction.
struct DatabaseCheck {
    let connection: Connection
    /// Nil for plaintext.
    let cipher: PageCipher?
    let monitor: WorkMonitor

    /// The maximum number of lines reported of one kind.
    private static let maxLines = 100

    /// Checks the database; other connections may read meanwhile, but not write.
    ///
    /// - Throws: `CancellationError`; ``StrongroomError`` with `busy` if another process writes for too long, or a
    ///   failure of the engine that is not damage.
    func run() throws -> VerificationReport {
        let start = ContinuousClock.now
        // Pages that readers still need, or for which there is no disk space, stay in the WAL and are checked there.
        if connection.isWriter { _ = connection.checkpointAfterCommit(patience: Connection.patience) }
        var unchecked: [String] = []
        let ((pages, bytes, damaged), objections) = try connection.readingPastTheEngine {
            let found = try checkPages()
            try monitor.report(.checkingStructure, found.0, of: found.0, .pages)
            return (found, try telling { try integrityCheck(&unchecked) })
        }
        var violations: [VerificationReport.ForeignKeyViolation] = []
        let others = try telling {
            violations = try foreignKeyCheck()
            return []
        }
        let words = try telling {
            let found = try fullTextCheck()
            unchecked += found.unchecked
            return found.findings
        }
        return VerificationReport(
            pages: pages, bytes: bytes, isAuthenticated: cipher != nil, damagedPages: damaged,
            objections: objections + (objections.isEmpty ? others + words : []), foreignKeyViolations: violations,
            unchecked: unchecked, duration: ContinuousClock.now - start)
    }

    private func checkPages() throws -> (Int, Int64, [DamagedPage]) {
        guard let cipher else {
            guard
                let count = try connection.setting("page_count").flatMap({ Int($0) }),
                let pageSize = try connection.setting("page_size").flatMap({ Int($0) })
            else {
                throw StrongroomError(
                    .engine, "SQLCipher does not report the number of pages of the file.",
                    database: connection.database)
            }
            return (count, Int64(count) * Int64(pageSize), [])
        }
        let verifier = try PageVerifier(connection, cipher)
        let damaged = try verifier.damagedPages { done in
            try monitor.report(.checking, done, of: verifier.count, .pages)
        }
        // If the schema is damaged, only the pages themselves can be evaluated.
        let roots = damaged.isEmpty ? [] : (try? connection.schemaRoots()) ?? []
        let named = try PageOwners(contents: verifier.contents, roots: roots).name(damaged, progress: monitor.check)
        return (verifier.count, Int64(verifier.count) * Int64(cipher.layout.pageSize), named)
    }

    /// Runs one of the engine's checks; its failure is a finding.
    private func telling(_ check: () throws -> [String]) throws -> [String] {
        try monitor.check()
        do {
            return try check()
        } catch let error as StrongroomError {
            try monitor.check()
            let isFinding = [.damaged, .sql, .notADatabase, .inputOutput, .transactionEnded].contains(error.code)
            guard isFinding else { throw error }
            return [error.message]
        }
    }

    private func integrityCheck(_ unchecked: inout [String]) throws -> [String] {
        let check = try connection.integrityCheck(most: Self.maxLines)
        unchecked = check.unchecked
        return check.findings
    }

    /// Compares full-text indexes with their tables. The engine does so by a statement that writes, although it changes
    /// nothing.
    private func fullTextCheck() throws -> (findings: [String], unchecked: [String]) {
        let indexes = StoredFullText.all(in: try connection.schemaEntries())
        guard !indexes.isEmpty else { return ([], []) }
        guard connection.isWriter else {
            return (
                [], indexes.map { "full-text index \"\($0.indexName)\" of table \"\($0.table)\": opened read-only" }
            )
        }
        return try connection.inTransaction(.immediate) { try connection.fullTextFindings() }
    }

    private func foreignKeyCheck() throws -> [VerificationReport.ForeignKeyViolation] {
        var violations: [VerificationReport.ForeignKeyViolation] = []
        try connection.inTransaction(.deferred) {
            try connection.withStandIns { _ in
                violations = []
                try connection.withOwnStatement("PRAGMA foreign_key_check") { statement in
                    let row = Row(statement)
                    while try violations.count < Self.maxLines && statement.step() {
                        violations.append(
                            VerificationReport.ForeignKeyViolation(
                                table: try row.text(at: 0), rowID: try row.isNull(at: 1) ? nil : row.integer(at: 1),
                                parentTable: try row.text(at: 2)))
                    }
                }
            }
        }
        return violations
    }
}
