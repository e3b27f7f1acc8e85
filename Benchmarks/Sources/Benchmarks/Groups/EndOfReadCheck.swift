import Strongroom
import TestData

extension Group {
    /// The check cannot be switched off. So its statement is run once more at the end of each read, through the public
    /// functions, which takes longer than the library's own run of it: what that adds is the most that the check costs.
    /// For C, it is what the statement itself adds.
    static let endOfReadCheck = Group(
        "end-of-read-check", "24,000 blocking reads by key, each with one more check for damaged pages"
    ) { workplace in
        let samples = TestData.rows()
        let keys = Array(TestData.shuffledKeys().prefix(TestData.awaitedReadCount))
        let expected = Summary(keys.map { samples[Int($0) - 1] })
        let file = try await workplace.makeFile(of: Entry.self, samples)
        let store = try await file.open()
        let rival = try file.openRival()
        @Sendable func duration(_ body: () throws -> Summary) throws -> Duration {
            var found = Summary()
            let duration = try ContinuousClock().measure { found = try body() }
            try found.check(expected)
            return duration
        }
        return [
            Measure(
                name: "end-of-read-check",
                unit: .microseconds(each: keys.count),
                ours: {
                    try await onThread {
                        let without = try duration { try readEach(keys, checks: false, store) }
                        return try duration { try readEach(keys, checks: true, store) } - without
                    }
                },
                rival: Measure.Side(name: "C", target: nil) {
                    let without = try duration { try rival.findEach(keys, checks: false) }
                    return try duration { try rival.findEach(keys, checks: true) } - without
                },
                limit: 2
            ),
            Measure(
                name: "end-of-read-check, whole read",
                unit: .microseconds(each: keys.count),
                ours: { try await onThread { try duration { try readEach(keys, checks: false, store) } } },
                rival: Measure.Side(name: "C without", target: nil) {
                    try duration { try rival.findEach(keys, checks: false) }
                }
            ),
        ]
    }

    private static func readEach(_ keys: [Int64], checks: Bool, _ store: Store) throws -> Summary {
        var found = Summary()
        for key in keys {
            let entry = try store.read { db in
                let entry = try Entry.find(key, in: db)
                if checks { _ = try db.value("SELECT 1 FROM sqlite_master LIMIT 1", as: Int.self) }
                return entry
            }
            if let entry { found.add(entry) }
        }
        return found
    }
}
