/// The answer to a ``Work``: one line of three numbers.
public struct WorkReport: Sendable {
    public let duration: Duration
    /// What was read; nothing for a work that only writes.
    public let summary: Summary

    public init(duration: Duration, summary: Summary) {
        self.duration = duration
        self.summary = summary
    }

    public init?(line: String) {
        let numbers = line.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 3 else { return nil }
        self.init(duration: .nanoseconds(numbers[0]), summary: Summary(rows: numbers[1], sum: numbers[2]))
    }

    public var line: String {
        "\(Int64(duration / .nanoseconds(1))) \(summary.rows) \(summary.sum)"
    }
}
