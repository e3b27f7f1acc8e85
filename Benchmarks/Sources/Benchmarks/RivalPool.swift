import Baseline
import TestData

/// A writer and several readers of the C baseline, on a file of entries; each run leaves the file as it was.
final class RivalPool {
    private struct Failure: Error {
        let result: Int32
    }

    private let pool: OpaquePointer
    private let keys: [Int64]
    private let expected: Summary
    private let rows: RivalEntries
    /// The key of the last row that stays.
    private let last: Int64

    /// - Parameters:
    ///   - path: A file that nobody else has open.
    ///   - keys: Of the rows that a run reads.
    ///   - expected: What is found.
    ///   - rows: The rows that are in the file, which the writer inserts again.
    init(_ path: String, keys: [Int64], expected: Summary, rows: [Sample]) throws {
        var opened: OpaquePointer?
        let result = baseline_pool_open(path, TestData.passphrase, Int32(TestData.readerCount), &opened)
        guard result == 0, let pool = opened else {
            defer { baseline_pool_close(opened) }
            throw Failure(result: result)
        }
        self.pool = pool
        self.keys = keys
        self.expected = expected
        self.rows = try RivalEntries(rows)
        last = Int64(rows.count)
    }

    deinit {
        baseline_pool_close(pool)
    }

    func read() throws -> Duration {
        var done = baseline_done()
        try check(baseline_pool_read(pool, keys, keys.count, &done))
        try checkFound(done)
        return .nanoseconds(done.duration)
    }

    /// - Returns: The time of the reads, and the writes in that time.
    func readBesideWriter() throws -> (duration: Duration, writes: Int) {
        var done = baseline_done()
        try check(baseline_pool_read_beside_writer(pool, keys, keys.count, &rows.list, &done))
        try checkFound(done)
        try takeAway(done)
        return (.nanoseconds(done.duration), Int(done.writes))
    }

    /// Of the thread that writes, while nobody reads.
    func processorTimeOfWrite() throws -> Duration {
        var done = baseline_done()
        try check(baseline_pool_write(pool, &rows.list, Int64(TestData.awaitedWriteCount), &done))
        try takeAway(done)
        return .nanoseconds(done.writer_processor_time) / TestData.awaitedWriteCount
    }

    private func checkFound(_ done: baseline_done) throws {
        try Summary(rows: done.found.rows, sum: done.found.sum).check(expected)
    }

    /// Deletes the rows that were written, shows that they were there, and empties the log.
    private func takeAway(_ done: baseline_done) throws {
        var deleted: Int64 = 0
        try check(baseline_pool_delete_after(pool, last, &deleted))
        try Summary(rows: deleted).check(Summary(rows: done.all_writes))
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else { throw Failure(result: result) }
    }
}
