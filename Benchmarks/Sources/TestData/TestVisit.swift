/// A child of a row in the measures of queries across tables.
public struct TestVisit: Sendable {
    /// The row that it belongs to, counted from 1.
    public let entry: Int64
    public let minutes: Int64
}

extension TestVisit {
    /// The rows that may have children.
    public static let parentCount = 20_000
    /// Only what takes longer is found.
    public static let limit: Int64 = 30

    /// Five for each row, besides every tenth, which has none.
    public static func all() -> [TestVisit] {
        (1...Int64(parentCount)).filter { !$0.isMultiple(of: 10) }.flatMap { entry in
            (0..<5).map { TestVisit(entry: entry, minutes: (entry * 7 + $0 * 13) % 60) }
        }
    }
}
