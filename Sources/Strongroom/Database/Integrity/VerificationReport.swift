/// What a check of a whole database has found.
///
/// ```swift
/// let report = try await store.verify()
/// if !report.isWhole { print(report) }
/// ```
public struct VerificationReport: Sendable, Equatable {
    /// A value that points to a row that is not there.
    public struct ForeignKeyViolation: Sendable, Hashable {
        /// The table whose row has the value.
        public let table: String
        /// The row's id; nil in a table without row ids.
        public let rowID: Int64?
        /// The table to which the value points.
        public let parentTable: String
    }

    /// The pages of the database.
    public let pages: Int
    /// The length of the database in bytes.
    public let bytes: Int64
    /// Whether the pages have authentication codes that were checked; a plaintext file's have none.
    public let isAuthenticated: Bool
    /// The pages whose authentication code is wrong, or that are missing at the file's end, in order.
    public let damagedPages: [DamagedPage]
    /// What the engine's `integrity_check` objects to, at most 100 lines; empty when it objects to nothing. With
    /// damaged pages it may end at the first that it meets.
    public let objections: [String]
    /// Values that point to rows that are not there, at most 100. They are no damage to the file: they were written
    /// while foreign keys were not enforced.
    public let foreignKeyViolations: [ForeignKeyViolation]
    /// How long the check took.
    public let duration: Duration

    /// Whether every page is as it was written and the engine objects to nothing.
    public var isWhole: Bool { damagedPages.isEmpty && objections.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
    /// For people: the numbers, then a line for each thing that was found, 20 of a kind at most.
    public var description: String {
        let head = "\(pages) pages, \(bytes) bytes: \(isWhole ? "whole" : "damaged")"
        let keys = foreignKeyViolations.map { violation in
            let row = violation.rowID.map { "row \($0)" } ?? "a row"
            return
                """
                \(row) of table "\(violation.table)" points to a row of "\(violation.parentTable)" that is not there
                """
        }
        return ([head] + Self.cut(damagedPages.map(\.description)) + Self.cut(objections) + Self.cut(keys))
            .joined(separator: "\n")
    }

    /// The most things of a kind that the description has.
    private static let most = 20

    private static func cut(_ lines: [String]) -> [String] {
        guard lines.count > most else { return lines }
        return lines.prefix(most) + ["and \(lines.count - most) more"]
    }
}
