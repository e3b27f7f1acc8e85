import Strongroom
import TestData

extension Group {
    static let upsertMany = Group("upsert-many", "100,000 rows, half of them present, in one call; the rivals loop") {
        workplace in
        let samples = TestData.upsertRows()
        let accounts = samples.map(Account.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(
            on: Account.self, in: workplace, before: TestData.rowsBeforeUpsert(), after: samples)
        return [
            Measure(
                name: "upsert-many",
                unit: .rate(accounts.count, "rows"),
                ours: work.ours { store in
                    try await store.write { db in
                        _ = try Account.upsert(contentsOf: accounts, .by(\.email), in: db)
                    }
                },
                rival: work.rival(target: 1.0) { try $0.upsert(rivalEntries) },
                grdb: work.grdb(target: 10, .upsert),
                machineLimit: work.machineLimit(.made)
            )
        ]
    }
}
