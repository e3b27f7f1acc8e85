import Strongroom

extension Group {
    static let insert = Group("insert", "200,000 rows of 5 columns in one transaction, into a fresh file") {
        workplace in
        let entries = Entry.testData(count: Workplace.rowCount)
        let rivalEntries = try RivalEntries(entries)
        let expected = Summary(entries)
        return [
            Measure(
                name: "insert",
                rival: "C, transient binding",
                unit: .rate(entries.count, "rows"),
                target: 1.0,
                ours: {
                    let file = try await workplace.makeFile()
                    let store = try await file.open()
                    let duration = try await ContinuousClock().measure {
                        try await store.write { db in
                            for entry in entries { try Entry.insert(entry, in: db) }
                        }
                    }
                    try await store.close()
                    try file.openRival().fetch().check(expected)
                    try file.remove()
                    return duration
                },
                theirs: {
                    let file = try await workplace.makeFile()
                    let rival = try file.openRival()
                    let duration = try ContinuousClock().measure { try rival.insert(rivalEntries) }
                    try rival.fetch().check(expected)
                    try file.remove()
                    return duration
                }
            )
        ]
    }
}
