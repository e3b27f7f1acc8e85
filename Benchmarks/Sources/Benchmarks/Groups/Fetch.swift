import Strongroom
import TestData

extension Group {
    static let fetch = Group(
        "fetch", "200,000 rows through a typed query into an array of records, which is freed again"
    ) { workplace in
        let samples = TestData.rows()
        let expected = Summary(samples)
        let file = try await workplace.makeFile(of: Entry.self, samples)
        let store = try await file.open()
        let rival = try file.openRival()
        func side(_ body: @escaping () async throws -> Summary) -> Measure.Run {
            Measure.run(finding: expected, body)
        }
        let ours = side {
            try await store.read { db in Summary(try Entry.order { $0.id.ascending }.fetch(in: db)) }
        }
        return [
            Measure(
                name: "fetch",
                unit: .rate(samples.count, "rows"),
                ours: ours,
                rival: Measure.Side(name: "C", target: 0.85, run: side { try rival.fetch() }),
                grdb: workplace.grdbReading(.fetch, file, target: 2, expected),
                grdbByHand: workplace.grdbReadingByHand(.fetchByHand, file, expected),
                machineLimit: { try MachineLimit.pages(.read, of: file.path) }
            ),
            // Written by hand, into the same strings and arrays of Swift.
            Measure(
                name: "fetch, C from Swift",
                unit: .rate(samples.count, "rows"),
                ours: ours,
                rival: Measure.Side(name: "C from Swift", target: 0.9, run: side { Summary(try rival.fetchEntries()) })
            ),
        ]
    }
}

extension Workplace {
    /// GRDB's side of a work that reads, where it is measured.
    func grdbReading(_ work: Work, _ file: File, target: Double?, _ expected: Summary) -> Measure.Side? {
        grdbReading(GRDBProcess.name, work, file, target: target, expected)
    }

    /// The same with records that are decoded by hand.
    func grdbReadingByHand(_ work: Work, _ file: File, _ expected: Summary) -> Measure.Side? {
        grdbReading(GRDBProcess.nameByHand, work, file, target: nil, expected)
    }

    private func grdbReading(
        _ name: String, _ work: Work, _ file: File, target: Double?, _ expected: Summary
    ) -> Measure.Side? {
        grdb.map { process in
            Measure.Side(name: name, target: target) {
                let report = try process.run(work, on: file)
                try report.summary.check(expected)
                return report.duration
            }
        }
    }
}
