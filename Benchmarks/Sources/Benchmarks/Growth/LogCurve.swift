import Strongroom
import TestData

/// Commits and reads while a read holds an old snapshot, so that the WAL cannot be restarted and grows.
///
/// The WAL grows by updates of random rows of the table, which is larger than a page cache. Two positions of the snapshot
/// are measured: in the WAL, after a commit, and before it, when the WAL is empty. Then the engine copies nothing of it
/// into the file, and each checkpoint considers all of it again.
struct LogCurve {
    /// In millions of bytes.
    private static let sizes = [1, 4, 16, 64, 256]
    private static let commits = 100
    private static let reads = 5_000

    private struct NotTruncated: Error {}

    let place: GrowthPlace

    func points() async throws -> [SeriesPoint] {
        var points: [SeriesPoint] = []
        for isInLog in [true, false] {
            let store = try await place.openFilled()
            var rounds = Rounds(store: store)
            points += try await rounds.points(isInLog ? "" : ", snapshot of an empty WAL", isInLog)
            try await store.close()
            try place.remove()
        }
        return points
    }

    private struct Rounds {
        let store: Store
        /// So that each update has other rows.
        var updates: UInt64 = 0

        mutating func points(_ suffix: String, _ isInLog: Bool) async throws -> [SeriesPoint] {
            guard try await store.checkpoint().isComplete else { throw NotTruncated() }
            if isInLog { try await update(1) }
            var held = store.stream(Entry.order { $0.id.ascending }).makeAsyncIterator()
            _ = try await held.next()
            var points: [SeriesPoint] = []
            for megabytes in sizes {
                while await store.health().logBytes < Int64(megabytes) * 1_000_000 { try await update(200) }
                try await store.waitForCheckpoint()
                points.append(Curve.wal.point("commits\(suffix)", megabytes, try await commit(), "commits/s"))
                points.append(Curve.wal.point("find by key\(suffix)", megabytes, try await read(), "reads/s"))
            }
            // Only now may the snapshot end.
            _ = try await held.next()
            return points
        }

        /// Changes random rows in one transaction.
        private mutating func update(_ count: Int) async throws {
            updates += 1
            let keys = TestData.randomKeys(count, of: TestData.rowCount, seed: updates)
            let size = Int64(updates)
            try await store.write(as: .immediate) { db in
                for key in keys { try db.execute("UPDATE entry SET size = \(size) WHERE id = \(key)") }
            }
        }

        /// - Returns: The rate of the median commit of one row; each waits for the checkpoint after the one before.
        private mutating func commit() async throws -> Double {
            var rates: [Double] = []
            for _ in 1...commits {
                let start = ContinuousClock.now
                try await update(1)
                rates.append((ContinuousClock.now - start).rate(of: 1))
            }
            return Measure.median(rates)
        }

        /// - Returns: The median rate of three reads, each of which begins with an empty page cache, since it has
        ///   another snapshot than the read before.
        private mutating func read() async throws -> Double {
            var rates: [Double] = []
            for seed in 1...3 {
                try await update(1)
                try await store.waitForCheckpoint()
                let keys = TestData.randomKeys(reads, of: TestData.rowCount, seed: UInt64(seed))
                rates.append(try await RowsCurve.find(keys, store).rate(of: keys.count))
            }
            return Measure.median(rates)
        }
    }
}
