import Strongroom
import TestData

extension Group {
    /// The memory is that of the first loop, which also fills the empty page cache of its reader (16 MiB), in millions
    /// of bytes: the most that was resident during the loop, less what was resident before. With other groups in the
    /// same run, what they left half free can hide some of it: `--only stream` is the clean number.
    static let stream = Group("stream", "1,000,000 rows one after the other, and the memory that this takes") {
        workplace in
        let expected = TestData.batches().reduce(into: Summary()) { $0.add(Summary($1)) }
        let file = try await workplace.makeFile(of: Entry.self, batches: TestData.batches())
        let store = try await file.open()
        var gauges: [Gauge] = []
        if ProcessStatus.isAvailable {
            let before = try ProcessStatus.current().memory
            try ProcessStatus.resetPeak()
            try await readAll(store).check(expected)
            let bytes = try ProcessStatus.currentPeak() - before
            gauges.append(Gauge(name: "stream, memory", unit: "MB", amount: Double(bytes) / 1e6, limit: 32))
        }
        let rival = try file.openRival()
        let measure = Measure(
            name: "stream",
            unit: .rate(TestData.streamedCount, "rows"),
            ours: {
                var found = Summary()
                let duration = try await ContinuousClock().measure { found = try await readAll(store) }
                try found.check(expected)
                return duration
            },
            rival: Measure.Side(name: "C", target: nil) {
                var found = Summary()
                let duration = try ContinuousClock().measure { found = try rival.stream() }
                try found.check(expected)
                return duration
            },
            machineLimit: { try MachineLimit.pages(.read, of: file.path) }
        )
        return [measure] + gauges
    }

    private static func readAll(_ store: Store) async throws -> Summary {
        var found = Summary()
        for try await entry in store.stream(Entry.order { $0.id.ascending }) { found.add(entry) }
        return found
    }
}
