/// The result of the engine's check of a file's structure.
struct IntegrityCheck {
    /// The engine's findings; empty if there are none.
    let findings: [String]
    /// What could not be checked, because a function or collation is missing; a line for each of these.
    let unchecked: [String]
}

extension Connection {
    /// Runs the engine's integrity check. If a function or collation is missing, which makes indexes or checks
    /// disagree with the rows, these are not compared.
    ///
    /// See SQLite's documentation, "PRAGMA integrity_check" (sqlite.org/pragma.html).
    func integrityCheck(most: Int) throws -> IntegrityCheck {
        try withStandIns { missing in
            guard !missing.isEmpty else { return IntegrityCheck(findings: try findings(most), unchecked: []) }
            // With a stand-in, each row of an index may be a finding; the engine does not collect them.
            let findings = try findings(most, limit: .max) { finding in
                Self.beginningsAboutRows.contains { finding.hasPrefix($0) }
            }
            return IntegrityCheck(
                findings: findings, unchecked: missing.map { "indexes and checks: \($0.title) is missing" })
        }
    }

    /// How the engine's findings begin that compare rows with indexes and checks.
    private static let beginningsAboutRows = [
        "row ", "rowid ", "wrong # of entries", "non-", "CHECK constraint", "NULL value", "NUMERIC value", "TEXT value",
    ]

    /// The first finding of the engine's integrity check; nil if there is none.
    func firstDefect() throws -> String? { try integrityCheck(most: 1).findings.first }

    /// Runs the integrity check on a connection of its own, and other work at the same time.
    ///
    /// - Parameters:
    ///   - others: The other work. If it fails, the check ends, and the failure is thrown in place of one of the check,
    ///     whose cause it may be.
    ///   - open: Opens the connection.
    /// - Returns: The first finding; nil if there is none.
    static func firstDefect(
        beside others: [SharedWork.Piece], isCancelled: @escaping @Sendable () -> Bool,
        open: @escaping @Sendable () throws -> Connection
    ) throws -> String? {
        let defect = Locked(Result<String?, any Error>.success(nil))
        let check: SharedWork.Piece = { hasFailed in
            let found = Result {
                let connection = try open()
                defer { connection.close() }
                connection.stop { isCancelled() || hasFailed() }
                return try connection.inSnapshot(connection.firstDefect)
            }
            defect.withLock { $0 = found }
        }
        try SharedWork.run("strongroom.copy", [check] + others)
        return try defect.withLock { $0 }.get()
    }

    private func findings(
        _ most: Int, limit: Int32? = nil, except isLeftOut: (String) -> Bool = { _ in false }
    ) throws -> [String] {
        var lines: [String] = []
        var isAnswered = false
        try withRoomForLookups {
            try withOwnStatement("PRAGMA main.integrity_check(\(limit.map(Int.init) ?? most))") { statement in
                let row = Row(statement)
                while try lines.count < most && statement.step() {
                    isAnswered = true
                    // One result row may have several lines.
                    lines += try row.text(at: 0).split(separator: "\n").map(String.init).filter { !isLeftOut($0) }
                }
            }
        }
        // An engine that stopped at an unreadable page may return no line.
        guard isAnswered else { return ["integrity_check gave no answer"] }
        return lines == ["ok"] ? [] : Array(lines.prefix(most))
    }
}

extension Connection {
    /// Runs work with a page cache that has room for the file's indexes. The engine looks up each row in each index, in
    /// the order of the rows: without room, a page of an index is read and deciphered for each row.
    private func withRoomForLookups(_ work: () throws -> Void) throws {
        let size = try ownNumber("PRAGMA main.page_count") * ownNumber("PRAGMA main.page_size")
        let room = Int(min(size, Self.cacheForLookups))
        guard room > file.pageCache else { return try work() }
        defer { releaseMemory() }
        try withPageCache(of: room, work)
    }

    /// Bytes; allocated as pages are read.
    private static let cacheForLookups: Int64 = 96 << 20
}
