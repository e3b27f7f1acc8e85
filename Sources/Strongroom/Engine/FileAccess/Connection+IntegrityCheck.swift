struct IntegrityCheck {
    /// The engine's findings; empty if there are none.
    let findings: [String]
    /// What could not be checked, because a function or collation is missing: an index, or the computed columns and
    /// checks of a table, and what is missing.
    let unchecked: [String]
}

extension Connection {
    /// Runs the engine's integrity check. Indexes and checks that need a missing function or collation are left out.
    ///
    /// See SQLite's documentation, "PRAGMA integrity_check" (sqlite.org/pragma.html).
    ///
    /// - Parameter most: The maximum number of findings.
    func integrityCheck(most: Int) throws -> IntegrityCheck {
        try withStandIns { missing in
            guard !missing.isEmpty else { return IntegrityCheck(findings: try findings(most), unchecked: []) }
            let uncheckable = try UncheckableObjects(missing, self)
            // With a stand-in, each row of an index may be a finding; the engine does not collect them.
            let findings = try findings(most, limit: .max) { uncheckable.isAboutThem($0) }
            return IntegrityCheck(findings: findings, unchecked: uncheckable.lines)
        }
    }

    /// The first finding of the engine's integrity check; nil if there is none.
    func firstDefect() throws -> String? { try integrityCheck(most: 1).findings.first }

    /// Runs the integrity check on a connection of its own, and other work at the same time.
    ///
    /// - Parameters:
    ///   - others: The other work. If it fails, the check ends, and the failure is thrown instead of one of the
    ///     check, whose cause it may be.
    ///   - open: Opens the connection.
    /// - Returns: The first finding; nil if there is none.
    static func firstDefect(
        beside others: [SharedWork.Job], isCancelled: @escaping @Sendable () -> Bool,
        open: @escaping @Sendable () throws -> Connection
    ) throws -> String? {
        let defect = Locked(Result<String?, any Error>.success(nil))
        let check: SharedWork.Job = { hasFailed in
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
        let room = Int(min(try databaseLength(), Self.cacheForLookups))
        guard room > file.pageCache else { return try work() }
        defer { releaseMemory() }
        try withPageCache(of: room, work)
    }

    /// Bytes; allocated as pages are read.
    private static let cacheForLookups: Int64 = 96 << 20
}

/// The indexes and tables of a file that need missing functions or collations.
private struct UncheckableObjects {
    /// A line for each of them.
    private(set) var lines: [String] = []
    /// The ends of the engine's findings about them.
    private var endings: [String] = []
    /// The findings about the number of entries of partial indexes, for whose conditions something is missing.
    private var counts: Set<String> = []

    init(_ missing: [MissingName], _ connection: Connection) throws {
        let functions = missing.filter { $0.kind == .function }.map(\.name)
        let collations = missing.filter { $0.kind == .collation }.map(\.name)
        var tables: Set<SQLName> = []
        var collated: Set<SQLName> = []
        let entries = try connection.ownRows("SELECT type, name, tbl_name, sql FROM main.sqlite_master")
        for case (.text("table"), .text(let name), .text(let sql)) in entries.map({ ($0[0], $0[1], $0[3]) }) {
            let tokens = [SQLToken](sql: sql)
            if collations.contains(where: { each in tokens.contains { $0.isNamed(each) } }) {
                collated.insert(SQLName(name))
            }
            guard let function = functions.first(where: { tokens.calls($0) }) else { continue }
            tables.insert(SQLName(name))
            lines.append("checks of table \"\(name)\": the function \"\(function)\" is missing")
            endings += [" in \(name)", " for \(name)"]
            // The engine's message is "NULL value in table.column".
            endings += try connection.ownRows("PRAGMA main.table_info(\(Identifier.quote(name)))").compactMap {
                $0[1].asText.map { " in \(name).\($0)" }
            }
        }
        for case (.text("index"), .text(let name), .text(let table), let sql) in entries.map({
            ($0[0], $0[1], $0[2], $0[3])
        }) {
            let tokens = [SQLToken](sql: sql.asText ?? "")
            let used = try connection.ownRows("PRAGMA main.index_xinfo(\(Identifier.quote(name)))").compactMap {
                $0[4].asText
            }
            let function = functions.first { tokens.calls($0) }
            let isPartial = tokens.contains { $0.isWord("WHERE") }
            let collation = collations.first { collation in
                used.contains { $0.isSameName(as: collation) }
                    || isPartial && (collated.contains(SQLName(table)) || tokens.contains { $0.isNamed(collation) })
            }
            guard function != nil || collation != nil || tables.contains(SQLName(table)) else { continue }
            endings += [" index \(name)"]
            if isPartial { counts.insert("wrong # of entries in index \(name)") }
            let what =
                function.map { "the function \"\($0)\"" } ?? collation.map { "the collation \"\($0)\"" }
                ?? "a function of its table"
            lines.append("index \"\(name)\" of table \"\(table)\": \(what) is missing")
            // A table without row ids is its primary key's index.
            if collation != nil { endings.append(" for \(table)") }
        }
    }

    /// Whether a finding may come from a stand-in. The number of an index's entries depends on it only if the index has
    /// a condition.
    func isAboutThem(_ finding: String) -> Bool {
        counts.contains(finding) || !finding.hasPrefix("wrong #") && endings.contains { finding.hasSuffix($0) }
    }
}
