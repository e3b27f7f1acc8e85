import Strongroom
import TestData

extension Group {
    /// The public comparison by the authors of Lighter, which loads Northwind's orders into an array again and again.
    /// sqlite-data's README gives the time of that library as 1.18 times that of the calls that Enlighter generates,
    /// GRDB's with decoding by hand as 2.6 times, and with Codable as 7.4 times.
    static let orders = Group(
        "orders", "16,282 orders like Northwind's into an array of records, which is freed again, 20 times"
    ) { workplace in
        let rows = TestOrder.all()
        let expected = Summary(rows)
        let file = try await workplace.makeFile(rows.map(Order.init))
        func measure(
            _ name: String, _ store: Store, _ rival: Rival, _ work: Work, byHand: Work
        ) -> Measure {
            Measure(
                name: "orders, \(name)",
                unit: .rate(rows.count * TestOrder.rounds, "rows"),
                ours: { try await load(expected) { try await store.read { db in try Order.all(in: db) } } },
                rival: Measure.Side(name: "C from Swift", target: 0.87) {
                    try await load(expected) { try rival.fetchOrders() }
                },
                grdb: workplace.grdbReading(work, file, target: nil, expected),
                grdbByHand: workplace.grdbReadingByHand(byHand, file, expected)
            )
        }
        let inMemory = try await Store.inMemory(Order.self)
        try await inMemory.write { db in _ = try Order.insert(contentsOf: rows.map(Order.init), in: db) }
        return [
            measure(
                "encrypted", try await file.open(), try file.openRival(), .orders, byHand: .ordersByHand),
            measure(
                "in memory", inMemory, try Rival(inMemory: rows), .ordersInMemory, byHand: .ordersInMemoryByHand),
        ]
    }

    private static func load(_ expected: Summary, _ fetch: () async throws -> [Order]) async throws -> Duration {
        var orders: [Order] = []
        let duration = try await ContinuousClock().measure {
            for _ in 0..<TestOrder.rounds {
                orders = []
                orders = try await fetch()
            }
        }
        try Summary(orders).check(expected)
        return duration
    }
}
