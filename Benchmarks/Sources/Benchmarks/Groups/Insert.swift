import Strongroom
import TestData

extension Group {
    static let insert = Group("insert", "200,000 rows of 5 columns one by one in one transaction, into a fresh file") {
        workplace in
        let samples = TestData.rows()
        let entries = samples.map(Entry.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(on: Entry.self, in: workplace, after: samples)
        return [
            Measure(
                name: "insert",
                unit: .rate(entries.count, "rows"),
                ours: work.ours { store in
                    try await store.write { db in
                        for entry in entries { try Entry.insert(entry, in: db) }
                    }
                },
                rival: work.rival(target: 1.0) { try $0.insert(rivalEntries) },
                grdb: work.grdb(target: 5, .insert),
                grdbByHand: work.grdbByHand(.insertByHand),
                machineLimit: work.machineLimit(.made)
            ),
            Measure(
                name: "insert and close",
                unit: .rate(entries.count, "rows"),
                ours: work.ours(closing: true) { store in
                    try await store.write { db in
                        for entry in entries { try Entry.insert(entry, in: db) }
                    }
                },
                rival: work.rival(target: 0.95, closing: true) { try $0.insert(rivalEntries) },
                machineLimit: work.machineLimit(.made)
            ),
        ]
    }
}
