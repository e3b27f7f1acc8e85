import Foundation
import Strongroom
import TestData

extension Group {
    /// Four tasks that read, alone and beside one that writes at full speed.
    ///
    /// The writer needs a processor, too, so where there are few of them the readers lose time that no library could
    /// leave to them. "Per processor left" is the rate of the readers for each second of a processor that the writer
    /// left to them: with P processors and for T seconds they had P·T less the writer's, without a writer P·T. The
    /// writer's are the writes in that time, each with the processor time that the process takes for one when nobody
    /// reads, and T at most, since it writes one row after the other. What its threads take while they look for more
    /// work counts in the readers' favour; that a write costs more beside readers does not.
    ///
    /// "The same in C" does without Strongroom: each of the threads has a connection of its own, with the settings of
    /// Strongroom's. What its readers lose beside the writer is the engine's price: after each commit, a reader drops
    /// the pages that it has in memory, and decrypts them again.
    ///
    /// So that price is what Strongroom's is compared with: how many times as long the readers' processors take for a
    /// read beside the writer.
    ///
    /// Readers keep their rate easily beside a writer that hardly gets its turn; so the writer's rate beside them is a
    /// measure, too.
    static let readersBesideWriter = Group(
        "readers-beside-writer", "48,000 rows by key, each in a read that one of four tasks awaits, beside a writer"
    ) { workplace in
        let file = try await workplace.makeFile(of: Entry.self, TestData.rows())
        // Of its own, since GRDB's connections would see the pages of Strongroom's writes.
        let grdbFile = try file.copy()
        let rivalFile = try file.copy()
        let work = try await ReadingAndWriting(file)
        let rival = try RivalPool(
            rivalFile.path, keys: work.keys, expected: work.expected, rows: TestData.rows())
        func grdb(_ work: Work, _ expected: Summary) -> Measure.Side? {
            workplace.grdbReading(work, grdbFile, target: nil, expected)
        }
        func timeLeft() async throws -> Duration {
            let write = try await work.processorTimeOfWrite()
            let done = try await work.readBesideWriter()
            return processorTimeLeft(done.duration, writing: write * done.writes)
        }
        func rivalTimeLeft() throws -> Duration {
            let write = try rival.processorTimeOfWrite()
            let done = try rival.readBesideWriter()
            return processorTimeLeft(done.duration, writing: write * done.writes)
        }
        return [
            Measure(
                name: "four readers, no writer",
                unit: .rate(work.keys.count, "reads"),
                ours: { try await work.read() },
                grdb: grdb(.readsOfReaders, work.expected)
            ),
            Measure(
                name: "four readers beside writer",
                unit: .rate(work.keys.count, "reads"),
                ours: { try await work.readBesideWriter().duration },
                rival: Measure.Side(name: "no writer", target: nil) { try await work.read() },
                grdb: grdb(.readsBesideWriter, work.expected)
            ),
            Measure(
                name: "four readers beside writer, per processor left",
                unit: .rate(work.keys.count, "reads/processor"),
                ours: { try await timeLeft() },
                rival: Measure.Side(name: "no writer", target: nil) { try await work.read() * processors }
            ),
            Measure(
                name: "the same in C, per processor left",
                unit: .rate(work.keys.count, "reads/processor"),
                ours: { try rivalTimeLeft() },
                rival: Measure.Side(name: "C, no writer", target: nil) { try rival.read() * processors }
            ),
            Measure(
                name: "what a writer costs four readers, per processor left",
                unit: .times,
                ours: { .seconds(try await timeLeft() / (try await work.read() * processors)) },
                rival: Measure.Side(name: "C", target: 1) {
                    .seconds(try rivalTimeLeft() / (try rival.read() * processors))
                }
            ),
            Measure(
                name: "writer beside four readers",
                unit: .rate(TestData.awaitedWriteCount, "writes"),
                ours: { try await work.readBesideWriter().duration(ofWrites: TestData.awaitedWriteCount) },
                rival: Measure.Side(name: "no readers", target: nil) { try await work.write().duration },
                grdb: grdb(.writesBesideReaders, work.expected)
            ),
        ]
    }

    private static let processors = ProcessInfo.processInfo.activeProcessorCount

    /// What the writer left of all processors' time.
    private static func processorTimeLeft(_ duration: Duration, writing: Duration) -> Duration {
        duration * processors - min(duration, writing)
    }
}

/// Strongroom's side; each run leaves the file as it was.
private struct ReadingAndWriting {
    private struct NoClock: Error {}

    let keys = Array(TestData.shuffledKeys().prefix(TestData.besideWriterCount))
    let expected: Summary
    private let rows: [Entry]
    private let store: Store

    init(_ file: Workplace.File) async throws {
        rows = TestData.rows().map(Entry.init)
        expected = Summary(keys.map { [rows] in rows[Int($0) - 1] })
        store = try await file.open()
    }

    func read() async throws -> Duration {
        var found = Summary()
        let duration = try await ContinuousClock().measure { found = try await readEach() }
        try found.check(expected)
        return duration
    }

    func readBesideWriter() async throws -> BesideWriter {
        let (store, rows) = (store, rows)
        let done = try await BesideWriter.measure(
            write: { count in try await Self.insert(rows[count % rows.count], store) },
            read: { try await readEach() }
        )
        try done.found.check(expected)
        try await takeAway(done.allWrites)
        return done
    }

    /// One task's writes, without readers.
    func write() async throws -> (duration: Duration, processorTime: Duration) {
        let start = (clock: ContinuousClock.now, processor: try Self.processorTime())
        for row in rows.prefix(TestData.awaitedWriteCount) { try await Self.insert(row, store) }
        let end = (clock: ContinuousClock.now, processor: try Self.processorTime())
        try await takeAway(TestData.awaitedWriteCount)
        return (end.clock - start.clock, end.processor - start.processor)
    }

    func processorTimeOfWrite() async throws -> Duration {
        try await write().processorTime / TestData.awaitedWriteCount
    }

    private func readEach() async throws -> Summary {
        try await Group.readEach(keys, tasks: TestData.readerCount, store)
    }

    private static func insert(_ row: Entry, _ store: Store) async throws {
        try await store.write { db in _ = try Entry.insert(row, in: db) }
    }

    /// Deletes the rows that were written, shows that they were there, and empties the log.
    private func takeAway(_ count: Int) async throws {
        let last = Int64(rows.count)
        let deleted = try await store.write { db in try Entry.where { $0.id > last }.delete(in: db) }
        try Summary(rows: Int64(deleted)).check(Summary(rows: Int64(count)))
        try await store.checkpoint()
    }

    /// Of all threads of the process.
    private static func processorTime() throws -> Duration {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { throw NoClock() }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
