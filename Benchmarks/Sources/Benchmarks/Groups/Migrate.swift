import Strongroom

extension Group {
    /// The memory is the most that was resident while a file was opened and migrated, less what was resident before.
    static let migrate = Group(
        "migrate", "a column, a value in each of 1,000,000 rows and an index; and the memory that this takes"
    ) { workplace in
        let file = try await MigratedFile(in: workplace.directory)
        var gauges: [Gauge] = []
        if ProcessStatus.isAvailable {
            let path = try file.copy()
            let before = try ProcessStatus.current().memory
            try ProcessStatus.resetPeak()
            _ = try await file.migrate(path)
            let bytes = try ProcessStatus.currentPeak() - before
            gauges.append(Gauge(name: "migrate, memory", unit: "MB", amount: Double(bytes) / 1e6, limit: 64))
        }
        let measure = Measure(
            name: "migrate",
            unit: .milliseconds,
            ours: { try await file.migrate(try file.copy()) },
            rival: Measure.Side(name: "C", target: 1 / 1.2) { try file.change(try file.copy()) }
        )
        return [measure] + gauges
    }
}
