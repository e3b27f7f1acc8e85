import Strongroom
import TestData

extension Group {
    static let upsert = Group("upsert", "100,000 rows by a unique text, half of them present, one by one") {
        workplace in
        let samples = TestData.upsertRows()
        let accounts = samples.map(Account.init)
        let rivalEntries = try RivalEntries(samples)
        let work = try await WriteWork(
            on: Account.self, in: workplace, before: TestData.rowsBeforeUpsert(), after: samples)
        return [
            Measure(
                name: "upsert",
                unit: .rate(accounts.count, "rows"),
                ours: work.ours { store in
                    try await store.write { db in
                        for account in accounts { try Account.upsert(account, .by(\.email), in: db) }
                    }
                },
                rival: work.rival(target: 0.8) { try $0.upsert(rivalEntries) },
                grdb: work.grdb(target: 10, .upsert),
                grdbByHand: work.grdbByHand(.upsertByHand),
                machineLimit: work.machineLimit(.made)
            )
        ]
    }
}
