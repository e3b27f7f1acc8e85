import Strongroom

/// Opening a file of more and more tables, and the first read: each table has three columns and an index.
struct TablesCurve {
    private static let counts = [1, 10, 50, 100, 500]
    private static let openings = 15

    let place: GrowthPlace

    func points() async throws -> [SeriesPoint] {
        var points: [SeriesPoint] = []
        for count in Self.counts {
            try await make(count)
            var times: [Double] = []
            for _ in 1...Self.openings {
                let start = ContinuousClock.now
                let store = try await place.open()
                _ = try await store.read { db in try db.value("SELECT count(*) FROM table_1", as: Int.self) }
                times.append((ContinuousClock.now - start) / .milliseconds(1))
                try await store.close()
            }
            try place.remove()
            points.append(Curve.tables.point("open and read", count, Measure.median(times), "ms"))
        }
        return points
    }

    private func make(_ count: Int) async throws {
        let store = try await place.open()
        try await store.write { db in
            for number in 1...count {
                let (table, index) = ("table_\(number)", "index_\(number)")
                try db.execute(
                    "CREATE TABLE \(name: table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER NOT NULL)")
                try db.execute("CREATE INDEX \(name: index) ON \(name: table) (name)")
            }
        }
        try await store.close()
    }
}
