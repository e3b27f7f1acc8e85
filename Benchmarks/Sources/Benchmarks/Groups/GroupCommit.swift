import Strongroom
import TestData

extension Group {
    static let groupCommit = Group(
        "group-commit", "1,920 rows, each in a write of its own that 64 tasks await; C commits each"
    ) { workplace in
        let samples = TestData.rows(count: TestData.awaitedWriteCount)
        let entries = samples.map(Entry.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(on: Entry.self, in: workplace, after: samples)
        return [
            Measure(
                name: "group-commit",
                unit: .rate(entries.count, "writes"),
                ours: work.ours { store in try await insertEach(entries, tasks: TestData.writingTasks, store) },
                rival: work.rival(target: 8) { try $0.insertEach(rivalEntries) },
                grdb: work.grdb(target: 10, .groupOfWrites),
                machineLimit: work.machineLimit(commits: entries.count / TestData.writingTasks)
            )
        ]
    }

    /// Inserts each in a write of its own.
    static func insertEach(_ entries: [Entry], tasks: Int, _ store: Store) async throws {
        _ = try await TestData.inTasks(tasks, of: entries.count) { range in
            for entry in entries[range] { try await store.write { db in _ = try Entry.insert(entry, in: db) } }
            return Summary()
        }
    }
}
