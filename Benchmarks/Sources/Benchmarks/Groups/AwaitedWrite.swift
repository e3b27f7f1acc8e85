import Strongroom
import TestData

extension Group {
    static let awaitedWrite = Group("awaited-write", "1,920 rows, each in a write of its own that one task awaits") {
        workplace in
        let samples = TestData.rows(count: TestData.awaitedWriteCount)
        let entries = samples.map(Entry.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(on: Entry.self, in: workplace, after: samples)
        return [
            Measure(
                name: "awaited-write",
                unit: .rate(entries.count, "writes"),
                ours: work.ours { store in try await insertEach(entries, tasks: 1, store) },
                rival: work.rival(target: 0.45) { try $0.insertEach(rivalEntries) },
                grdb: work.grdb(target: 1, .awaitedWrites),
                machineLimit: work.machineLimit(commits: entries.count)
            ),
            Measure(
                name: "awaited-write, own executor",
                unit: .rate(entries.count, "writes"),
                ours: work.ours { store in
                    try await withTaskExecutorPreference(store.executor) {
                        try await insertEach(entries, tasks: 1, store)
                    }
                },
                rival: work.rival(target: 0.8) { try $0.insertEach(rivalEntries) },
                machineLimit: work.machineLimit(commits: entries.count)
            ),
        ]
    }
}
