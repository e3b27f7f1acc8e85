import Strongroom
import TestData

extension Group {
    static let save = Group("save", "50,000 new objects saved in one call, against the insert of the same list") {
        workplace in
        let samples = TestData.rows(count: 50_000)
        let entries = samples.map(Entry.init)
        let work = try await WriteWork(on: Entry.self, in: workplace, after: samples)
        return [
            Measure(
                name: "save, one list",
                unit: .rate(entries.count, "objects"),
                ours: work.ours { store in
                    try await store.write { db in
                        var list = entries
                        try Entry.save(contentsOf: &list, in: db)
                    }
                },
                rival: work.other("insert(contentsOf:)", target: 0.8) { store in
                    try await store.write { db in _ = try Entry.insert(contentsOf: entries, in: db) }
                }
            )
        ]
    }
}
