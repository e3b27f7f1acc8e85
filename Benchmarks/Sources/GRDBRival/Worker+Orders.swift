import GRDB
import TestData

extension Worker {
    /// Loads all orders again and again.
    static func load<R: OrderRecord>(_ record: R.Type, from reader: some DatabaseReader) throws -> WorkReport {
        var orders: [R] = []
        let duration = try ContinuousClock().measure {
            for _ in 0..<TestOrder.rounds {
                orders = []
                orders = try reader.read { db in try R.fetchAll(db) }
            }
        }
        return WorkReport(duration: duration, summary: Summary(orders))
    }

    static func makeOrdersInMemory() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            for statement in TestOrder.statements(TestOrder.all()) { try db.execute(sql: statement) }
        }
        return queue
    }
}
