import Strongroom
import TestData

/// Inserts and reads in a table that grows to a number of rows.
///
/// The numbers of up to 100,000 rows are medians of three files.
struct RowsCurve {
    private static let batch = 100_000
    private static let reads = 20_000
    private static let fetched = 1_000
    private static let fetches = 21

    /// What was measured at one number of rows, once for each file.
    private struct Stop {
        var inserts: [Double] = []
        var reads: [Double] = []
        var fetches: [Double] = []
        /// The pages that were decrypted for a read.
        var pages: [Double] = []
    }

    /// The powers of ten, and the largest number.
    private let stops: Set<Int>
    private var measured: [Int: Stop] = [:]

    static func points(in place: GrowthPlace, upTo rows: Int) async throws -> [SeriesPoint] {
        var curve = RowsCurve(rows)
        for end in [min(rows, batch), min(rows, batch), rows] {
            let store = try await place.open()
            try await curve.fill(store, upTo: end)
            try await store.close()
            try place.remove()
        }
        return curve.points
    }

    private init(_ rows: Int) {
        stops = Set(sequence(first: 10_000) { $0 * 10 }.prefix { $0 < rows } + [rows])
    }

    private var points: [SeriesPoint] {
        measured.sorted { $0.key < $1.key }.flatMap { rows, stop in
            [
                Curve.rows.point("insert in one call", rows, Measure.median(stop.inserts), "rows/s"),
                Curve.rows.point("find by key", rows, Measure.median(stop.reads), "reads/s"),
                Curve.rows.point("fetch in order", rows, Measure.median(stop.fetches), "records/s"),
                Curve.rows.point("pages for a read", rows, Measure.median(stop.pages), "pages"),
            ]
        }
    }

    private mutating func fill(_ store: Store, upTo end: Int) async throws {
        try await store.write { db in try db.createTable(Entry.schema) }
        var (count, next, recent): (Int, [Entry], [Double]) = (0, [], [])
        for samples in TestData.batches(count: end) {
            next += samples.map(Entry.init)
            count += samples.count
            let isStop = stops.contains(count)
            guard isStop || next.count == Self.batch else { continue }
            recent = recent.suffix(2) + [try await insert(next, store)]
            next.removeAll(keepingCapacity: true)
            guard isStop else { continue }
            var stop = measured[count] ?? Stop()
            // One batch is little for a large table, which is filled once.
            stop.inserts.append(count > Self.batch ? Measure.median(recent) : recent[recent.count - 1])
            try await read(&stop, count, store)
            measured[count] = stop
        }
    }

    /// - Returns: The rows in a second, without the checkpoint, for which it waits.
    private func insert(_ entries: [Entry], _ store: Store) async throws -> Double {
        let duration = try await ContinuousClock().measure {
            try await store.write { db in _ = try Entry.insert(contentsOf: entries, in: db) }
        }
        try await store.waitForCheckpoint()
        return duration.rate(of: entries.count)
    }

    private func read(_ stop: inout Stop, _ rows: Int, _ store: Store) async throws {
        var (reads, pages): ([Double], [Double]) = ([], [])
        // The first time fills the page cache, if the table fits into it.
        for seed in 1...3 {
            let keys = TestData.randomKeys(Self.reads, of: rows, seed: UInt64(seed))
            let before = store.statistics.pageCacheMisses
            reads.append(try await Self.find(keys, store).rate(of: keys.count))
            pages.append(Double(store.statistics.pageCacheMisses - before) / Double(keys.count))
        }
        stop.reads.append(Measure.median(reads))
        stop.pages.append(Measure.median(pages))
        var fetches: [Double] = []
        for first in TestData.randomKeys(Self.fetches, of: rows - Self.fetched, seed: 4) {
            var found = 0
            let duration = try await ContinuousClock().measure {
                found = try await store.read { db in
                    try Entry.where { $0.id >= first }.order { $0.id.ascending }.limit(Self.fetched).fetch(in: db).count
                }
            }
            try Summary(rows: Int64(found)).check(Summary(rows: Int64(Self.fetched)))
            fetches.append(duration.rate(of: found))
        }
        stop.fetches.append(Measure.median(fetches))
    }

    /// Reads rows by their keys, which must exist, in one read.
    static func find(_ keys: [Int64], _ store: Store) async throws -> Duration {
        var found = 0
        let duration = try await ContinuousClock().measure {
            found = try await store.read { db in
                var found = 0
                for key in keys where try Entry.find(key, in: db) != nil { found += 1 }
                return found
            }
        }
        try Summary(rows: Int64(found)).check(Summary(rows: Int64(keys.count)))
        return duration
    }
}
