import Baseline

/// What one side has read, so that both can be shown to have done the same work.
struct Summary: Equatable {
    var rows: Int64 = 0
    /// Over the sizes and the lengths of what was copied out.
    var sum: Int64 = 0

    init() {}

    init(_ entries: [Entry]) {
        for entry in entries { add(entry) }
    }

    init(_ summary: baseline_summary) {
        rows = summary.rows
        sum = summary.sum
    }

    mutating func add(_ entry: Entry) {
        rows += 1
        sum += entry.size
        sum += Int64(entry.name.utf8.count + entry.digest.count + (entry.note?.utf8.count ?? 0))
    }

    /// Refuses to time work that was not done.
    func check(_ expected: Summary) throws {
        guard self == expected else { throw WrongWork(found: self, expected: expected) }
    }

    private struct WrongWork: Error {
        let found: Summary
        let expected: Summary
    }
}
