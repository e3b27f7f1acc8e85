/// The check of an entire database through a connection in exclusive use, outside a transaction.
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
    func run() throws -> VerificationReport {
        let start = ContinuousClock.now
        var report = try connection.inSnapshotOfPages { log in
            guard let cipher else {
                // The pages of plaintext have no codes.
                var report = try VerificationReport(
                    pages: connection.pageCount(), bytes: connection.databaseLength(), isAuthenticated: false)
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

    private func check(_ pages: DatabasePages, _ cipher: PageCipher) throws -> VerificationReport {
        let verifier = PageVerifier(PageContents(pages: pages, cipher: cipher))
        let damaged = try verifier.damagedPages { done in
            try monitor.report(.checking, done, of: verifier.count, .pages)
        }
        return try connection.refusing(verifier.contents.refusal(of: damaged)) {
            // If the schema is damaged, only the pages themselves can be evaluated.
            let entries = damaged.isEmpty ? [] : (try? connection.allSchemaEntries()) ?? []
            let named = try verifier.contents.owners(of: damaged, entries, checkCancellation: monitor.check)
            var report = VerificationReport(
                pages: verifier.count, bytes: Int64(verifier.count) * Int64(pages.pageSize), isAuthenticated: true,
                damagedPages: named)
            if checksStructure { try checkStructure(&report) }
            return report
        }
    }

    private func checkStructure(_ report: inout VerificationReport) throws {
        try monitor.report(.checkingStructure, report.pages, of: report.pages, .pages)
        report.objections = try telling {
            let check = try connection.integrityCheck(most: Self.maxLines)
            report.unchecked = check.unchecked
            return check.findings
        }
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

/// The result of the check of an entire database.
///
/// ```swift
/// let report = try await store.verify()
/// if !report.isIntact { print(report) }
/// ```
public struct VerificationReport: Sendable, Equatable {
    /// A foreign key value without a parent row.
    public struct ForeignKeyViolation: Sendable, Hashable {
        /// The table of the row with the value.
        public let table: String
        /// The row's id; nil in a table without row ids.
        public let rowID: Int64?
        /// The table to which the value refers.
        public let parentTable: String
    }

    /// The number of pages of the database.
    public let pages: Int
    /// The length of the database in bytes.
    public let bytes: Int64
    /// Whether the pages have authentication codes that were checked; false for a plaintext file.
    public let isAuthenticated: Bool
    /// The pages with a wrong authentication code, or missing at the end of the file, in order.
    public internal(set) var damagedPages: [DamagedPage] = []
    /// The findings of the engine's `integrity_check`, at most 100 lines; empty if there are none, or only the pages
    /// were checked. With damaged pages the check may end at the first one.
    public internal(set) var objections: [String] = []
    /// Foreign key values without a parent row, at most 100. They are not damage: they were written while foreign keys
    /// were not enforced.
    public internal(set) var foreignKeyViolations: [ForeignKeyViolation] = []
    /// The columns with values that are not in the one spelling that the library reads, such as UUIDs in lower case,
    /// and their numbers. They are not damage: other programs have written them; ``Writing/convertSpellings(of:)``
    /// rewrites them. UUIDs are counted in tables that the store's migrator declares, or this process has used.
    public internal(set) var otherSpellings: [SpellingCount] = []
    /// The indexes and checks that were left out, because they need a function or a collation in Swift that the
    /// configuration does not have, and its name; a line for each. Their pages are checked.
    public internal(set) var unchecked: [String] = []
    /// How long the check took.
    public internal(set) var duration = Duration.zero

    /// Whether every page is intact and the engine has no findings.
    public var isIntact: Bool { damagedPages.isEmpty && objections.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
    /// A description for people: the numbers, then a line for each finding, at most 20 of a kind.
    public var description: String {
        let head = "\(pages.counting("page")), \(bytes.counting("byte")): \(isIntact ? "intact" : "damaged")"
        let keys = foreignKeyViolations.map { violation in
            let row = violation.rowID.map { "row \($0)" } ?? "a row"
            return
                """
                \(row) of table "\(violation.table)" references a row of "\(violation.parentTable)" that does not \
                exist
                """
        }
        return
            ([head] + Self.cut(damagedPages.map(\.description)) + Self.cut(objections) + Self.cut(keys)
            + Self.cut(otherSpellings.map(\.summary)) + Self.cut(unchecked.map { "not checked: \($0)" }))
            .joined(separator: "\n")
    }

    /// The maximum number of findings of a kind in the description.
    private static let most = 20

    private static func cut(_ lines: [String]) -> [String] {
        guard lines.count > most else { return lines }
        return lines.prefix(most) + ["and \(lines.count - most) more"]
    }
}

extension SpellingCount {
    fileprivate var summary: String {
        """
        column "\(column)" of table "\(table)" has \(count.counting("value")) in another spelling, \
        which cannot be read; rewrite the table with `db.convertSpellings(of:)`
        """
    }
}

extension SchemaEntry {
    /// The schema table itself.
    static let schemaTable = SchemaEntry(kind: .table, name: "sqlite_master", table: "sqlite_master", sql: "", page: 1)

    /// The owner of its pages.
    var owner: DamagedPage.Owner {
        if page == 1 { return .schema }
        return kind == .index ? .index(name, table: table) : .table(name)
    }
}

extension PageContents {
    /// Determines the owners of pages; reads the entire database.
    func owners(
        of damaged: [Int], _ entries: [SchemaEntry], checkCancellation: () throws -> Void
    ) throws -> [DamagedPage] {
        guard !damaged.isEmpty else { return [] }
        var owners = try TreeSurvey(
            self, entries, damaged: PageSet(pages: pages.count, damaged), until: damaged.count,
            checkCancellation: checkCancellation
        ).owners
        try nameUnused(damaged, &owners)
        return damaged.map { DamagedPage(number: $0, owner: owners[$0] ?? .unknown) }
    }

    /// Determines the owners of pages that belong to no tree: unused pages and pointer map pages.
    func nameUnused(_ damaged: [Int], _ owners: inout [Int: DamagedPage.Owner]) throws {
        let free = try FreeList(self)
        let header = try content(of: 1).flatMap(DatabaseHeader.init)
        for number in damaged where owners[number] == nil {
            if free.leaves.contains(number) || free.trunks.contains(number) { owners[number] = .unused }
            if header?.hasPointerMap == true, cipher.layout.isPointerMap(number) { owners[number] = .pointerMap }
        }
    }
}

extension PageLayout {
    /// Whether a page is a pointer map page, in a database that has them ("Database File Format", section 1.8).
    func isPointerMap(_ number: Int) -> Bool {
        guard number > 1 else { return false }
        let distance = usable / 5 + 1
        let first = (number - 2) / distance * distance + 2
        return number == (first == lockBytePage ? first + 1 : first)
    }
}
