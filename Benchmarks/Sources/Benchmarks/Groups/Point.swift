import Strongroom
import TestData

extension Group {
    static let point = Group("point", "200,000 reads by key in one read transaction, in a shuffled order") {
        workplace in
        let samples = TestData.rows()
        let expected = Summary(samples)
        let keys = TestData.shuffledKeys()
        let file = try await workplace.makeFile(of: Entry.self, samples)
        let store = try await file.open()
        let rival = try file.openRival()
        return [
            Measure(
                name: "point",
                unit: .rate(keys.count, "reads"),
                ours: {
                    var found = Summary()
                    let duration = try await ContinuousClock().measure {
                        found = try await store.read { db in try summary(of: keys, in: db) }
                    }
                    try found.check(expected)
                    return duration
                },
                rival: Measure.Side(name: "C", target: 0.9) {
                    var found = Summary()
                    let duration = try ContinuousClock().measure { found = try rival.find(keys) }
                    try found.check(expected)
                    return duration
                },
                grdb: workplace.grdbReading(.point, file, target: 3, expected),
                grdbByHand: workplace.grdbReadingByHand(.pointByHand, file, expected),
                machineLimit: { try MachineLimit.pages(.read, of: file.path) }
            )
        ]
    }

    private static func summary(of keys: [Int64], in db: borrowing ReadTransaction) throws -> Summary {
        var found = Summary()
        for key in keys {
            if let entry = try Entry.find(key, in: db) { found.add(entry) }
        }
        return found
    }
}
