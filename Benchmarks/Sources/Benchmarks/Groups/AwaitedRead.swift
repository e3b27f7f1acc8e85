import Foundation
import Strongroom
import TestData

extension Group {
    static let awaitedRead = Group("awaited-read", "24,000 rows by key, each in a read of its own that a task awaits") {
        workplace in
        let samples = TestData.rows()
        let keys = Array(TestData.shuffledKeys().prefix(TestData.awaitedReadCount))
        let expected = Summary(keys.map { samples[Int($0) - 1] })
        let file = try await workplace.makeFile(of: Entry.self, samples)
        // Threads with a connection each, and as many as the store has readers: what the engine and the processors allow.
        let pool = try RivalPool(try file.copy().path, keys: keys, expected: expected, rows: samples)
        let store = try await file.open()
        func side(_ body: @escaping () async throws -> Summary) -> Measure.Run {
            Measure.run(finding: expected, body)
        }
        return [
            Measure(
                name: "awaited-read",
                unit: .rate(keys.count, "reads"),
                ours: side { try await readEach(keys, tasks: 1, store) },
                grdb: workplace.grdbReading(.awaitedReads, file, target: 3, expected)
            ),
            Measure(
                name: "awaited-read, eight tasks",
                unit: .rate(keys.count, "reads"),
                ours: side { try await readEach(keys, tasks: TestData.readingTasks, store) },
                rival: Measure.Side(name: "C, four threads", target: nil) { try pool.read() },
                grdb: workplace.grdbReading(.awaitedReadsOfTasks, file, target: 8, expected)
            ),
            Measure(
                name: "awaited-read, eight tasks, own executor",
                unit: .rate(keys.count, "reads"),
                ours: side {
                    try await withTaskExecutorPreference(store.executor) {
                        try await readEach(keys, tasks: TestData.readingTasks, store)
                    }
                },
                rival: Measure.Side(name: "C, four threads", target: nil) { try pool.read() },
                grdb: workplace.grdbReading(.awaitedReadsOfTasks, file, target: 8, expected)
            ),
            Measure(
                name: "awaited-read, own executor",
                unit: .microseconds(each: keys.count),
                ours: side {
                    try await withTaskExecutorPreference(store.executor) { try await readEach(keys, tasks: 1, store) }
                },
                rival: Measure.Side(name: "blocking + 1.5 µs", target: 1) {
                    let (found, duration) = try await onThread {
                        var found = Summary()
                        let duration = try ContinuousClock().measure { found = try readEachBlocking(keys, store) }
                        return (found, duration)
                    }
                    try found.check(expected)
                    return duration + .nanoseconds(1_500) * keys.count
                }
            ),
        ]
    }

    /// Reads each in a read of its own.
    static func readEach(_ keys: [Int64], tasks: Int, _ store: Store) async throws -> Summary {
        try await TestData.inTasks(tasks, of: keys.count) { range in
            var found = Summary()
            for key in keys[range] {
                if let entry = try await store.read({ db in try Entry.find(key, in: db) }) { found.add(entry) }
            }
            return found
        }
    }

    /// As ``readEach(_:tasks:_:)``, by calls that block.
    static func readEachBlocking(_ keys: [Int64], _ store: Store) throws -> Summary {
        var found = Summary()
        for key in keys {
            if let entry = try store.read({ db in try Entry.find(key, in: db) }) { found.add(entry) }
        }
        return found
    }

    /// Runs blocking code on a thread of its own.
    static func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }
}
