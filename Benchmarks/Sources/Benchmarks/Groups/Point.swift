import Strongroom

extension Group {
    static let point = Group("point", "200,000 reads by key in one read transaction, in a shuffled order") {
        workplace in
        let entries = Entry.testData(count: Workplace.rowCount)
        let expected = Summary(entries)
        var generator = SeededGenerator(seed: 2)
        let keys = (1...Int64(entries.count)).shuffled(using: &generator)
        let file = try await workplace.makeFile(entries)
        let store = try await file.open()
        let rival = try file.openRival()
        return [
            Measure(
                name: "point",
                rival: "C, values copied",
                unit: .rate(keys.count, "reads"),
                target: 0.9,
                ours: {
                    var found = Summary()
                    let duration = try await ContinuousClock().measure {
                        found = try await store.read { db in try summary(of: keys, in: db) }
                    }
                    try found.check(expected)
                    return duration
                },
                theirs: {
                    var found = Summary()
                    let duration = try ContinuousClock().measure { found = try rival.find(keys) }
                    try found.check(expected)
                    return duration
                }
            )
        ]
    }

    private static func summary(of keys: [Int64], in db: borrowing ReadTransaction) throws -> Summary {
        var found = Summary()
        for key in keys {
            if let entry = try Entry.find(key, in: db) { found.add(entry) }
        }
        return found
    }
}
