import Strongroom
import TestData

extension Group {
    static let insertMany = Group("insert-many", "200,000 rows in one call; the rivals insert them one by one") {
        workplace in
        let samples = TestData.rows()
        let entries = samples.map(Entry.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(on: Entry.self, in: workplace, after: samples)
        return [
            Measure(
                name: "insert-many",
                unit: .rate(entries.count, "rows"),
                ours: work.ours { store in
                    try await store.write { db in _ = try Entry.insert(contentsOf: entries, in: db) }
                },
                rival: work.rival(target: 1.6) { try $0.insert(rivalEntries) },
                grdb: work.grdb(target: 5, .insert),
                grdbByHand: work.grdbByHand(.insertByHand),
                machineLimit: work.machineLimit(.made)
            )
        ]
    }
}
