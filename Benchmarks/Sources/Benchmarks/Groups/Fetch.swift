import Strongroom

extension Group {
    static let fetch = Group("fetch", "200,000 rows decoded into an array of records, which is freed again") {
        workplace in
        let entries = Entry.testData(count: Workplace.rowCount)
        let expected = Summary(entries)
        let file = try await workplace.makeFile(entries)
        let store = try await file.open()
        let rival = try file.openRival()
        return [
            Measure(
                name: "fetch",
                rival: "C, values copied",
                unit: .rate(entries.count, "rows"),
                target: 0.7,
                ours: {
                    var found = Summary()
                    let duration = try await ContinuousClock().measure {
                        found = try await store.read { db in Summary(try Entry.all(in: db)) }
                    }
                    try found.check(expected)
                    return duration
                },
                theirs: {
                    var found = Summary()
                    let duration = try ContinuousClock().measure { found = try rival.fetch() }
                    try found.check(expected)
                    return duration
                }
            )
        ]
    }
}
