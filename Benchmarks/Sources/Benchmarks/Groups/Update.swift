import Strongroom
import TestData

extension Group {
    static let update = Group("update", "all columns of 200,000 rows, by key, one by one in one transaction") {
        workplace in
        let samples = TestData.changedRows()
        let entries = samples.map(Entry.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(on: Entry.self, in: workplace, before: TestData.rows(), after: samples)
        return [
            Measure(
                name: "update",
                unit: .rate(entries.count, "rows"),
                ours: work.ours { store in
                    try await store.write { db in
                        for entry in entries { try Entry.update(entry, in: db) }
                    }
                },
                rival: work.rival(target: 0.9) { try $0.update(rivalEntries) },
                grdb: work.grdb(target: 5, .update),
                grdbByHand: work.grdbByHand(.updateByHand),
                machineLimit: work.machineLimit(.changed)
            )
        ]
    }
}
