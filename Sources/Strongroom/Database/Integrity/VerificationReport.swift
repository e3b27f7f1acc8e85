/// The result of the check of a whole database.
///
/// ```swift
/// let report = try await store.verify()
/// if !report.isWhole { print(report) }
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
    public var isWhole: Bool { damagedPages.isEmpty && objections.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
    /// A description for people: the numbers, then a line for each finding, at most 20 of a kind.
    public var description: String {
        let head = "\(pages.counting("page")), \(bytes.counting("byte")): \(isWhole ? "whole" : "damaged")"
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
            + Self.cut(otherSpellings.map(\.words)) + Self.cut(unchecked.map { "not checked: \($0)" }))
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
    fileprivate var words: String {
        """
        column "\(column)" of table "\(table)" has \(count.counting("value")) in another spelling, \
        which cannot be read; rewrite the table with `db.convertSpellings(of:)`
        """
    }
}
