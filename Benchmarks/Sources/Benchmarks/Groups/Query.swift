import Strongroom
import TestData

extension Group {
    static let query = Group("query", "a typed query against the same statement written by hand, and the making of one")
    {
        workplace in
        let samples = TestData.rows()
        let file = try await workplace.makeFile(of: Entry.self, samples)
        let store = try await file.open()
        let keys = Array(TestData.shuffledKeys().prefix(50_000))
        // The last key before each page of 1,000 rows.
        let pages = Array(stride(from: Int64(0), to: Int64(samples.count), by: 1000))
        return [
            Measure(
                name: "query of 1 row",
                unit: .microseconds(each: keys.count),
                ours: { try await time(keys, rows: keys.count, in: store, typedRow) },
                rival: Measure.Side(name: "by hand", target: 0.95) {
                    try await time(keys, rows: keys.count, in: store, rowByHand)
                }
            ),
            Measure(
                name: "query of 1,000 rows",
                unit: .microseconds(each: pages.count),
                ours: { try await time(pages, rows: samples.count, in: store, typedPage) },
                rival: Measure.Side(name: "by hand", target: 0.95) {
                    try await time(pages, rows: samples.count, in: store, pageByHand)
                }
            ),
            Measure(
                name: "making a query",
                unit: .microseconds(each: keys.count),
                ours: { ContinuousClock().measure { for key in keys { keep(typedWithTwoConditions(key)) } } },
                limit: 1
            ),
        ]
    }

    private typealias Fetch = @Sendable (Int64, borrowing ReadTransaction) throws -> [Entry]

    /// One query for each number, in one read transaction.
    private static func time(
        _ numbers: [Int64],
        rows: Int,
        in store: Store,
        _ fetch: @escaping Fetch
    ) async throws -> Duration {
        var found = 0
        let duration = try await ContinuousClock().measure {
            found = try await store.read { db in
                var count = 0
                for number in numbers { count += try fetch(number, db).count }
                return count
            }
        }
        try Summary(rows: Int64(found)).check(Summary(rows: Int64(rows)))
        return duration
    }

    private static let typedRow: Fetch = { key, db in
        try Entry.where { $0.id == key }.fetch(in: db)
    }

    private static let rowByHand: Fetch = { key, db in
        try db.fetch(
            Entry.self,
            #"SELECT "id", "name", "size", "score", "digest", "note" FROM "entry" WHERE "id" = \#(key)"#
        )
    }

    private static let typedPage: Fetch = { key, db in
        try Entry.where { $0.id > key && $0.id <= key + 1000 }.order { $0.id.ascending }.fetch(in: db)
    }

    private static let pageByHand: Fetch = { key, db in
        try db.fetch(
            Entry.self,
            #"""
            SELECT "id", "name", "size", "score", "digest", "note" FROM "entry" \#
            WHERE "id" > \#(key) AND "id" <= \#(key + 1000) ORDER BY "id" ASC
            """#
        )
    }

    private static func typedWithTwoConditions(_ number: Int64) -> Query<Entry> {
        Entry.where { $0.size >= number && $0.name != "amber" }
    }

    /// Keeps the compiler from leaving out what nobody uses.
    @inline(never)
    private static func keep(_ query: Query<Entry>) {
        withExtendedLifetime(query) {}
    }
}
