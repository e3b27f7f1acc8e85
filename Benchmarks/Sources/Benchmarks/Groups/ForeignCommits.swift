import Foundation
import Strongroom
import TestData

extension Group {
    /// Another process commits; this one observes its table and, in half of the rounds, writes another table as fast as
    /// it can.
    ///
    /// The time of a commit is from the moment before it, in its transaction, to the one in which the observer has read
    /// the row.
    static let foreignCommits = Group(
        "foreign-commits", "400 commits of another process until an observer has their rows, beside a busy writer"
    ) { workplace in
        let place = NoticePlace(directory: workplace.directory.appending(path: "notices"))
        var (busy, quiet): ([Delays], [Delays]) = ([], [])
        for round in 0...5 {
            for isBusy in [true, false] {
                let delays = try await NoticeRound(place: place, isBusy: isBusy).run(commits: 400)
                let name = isBusy ? "beside a writer" : "no writer"
                try FileHandle.standardError.write(contentsOf: Data("  round \(round), \(name): \(delays)\n".utf8))
                guard round > 0 else { continue }
                if isBusy { busy.append(delays) } else { quiet.append(delays) }
            }
        }
        func gauge(_ name: String, limit: Double? = nil, _ amount: (Delays) -> Double) -> Gauge {
            let (ours, theirs) = (busy.map(amount), quiet.map(amount))
            let ratios = zip(ours, theirs).map { $1 / $0 }
            let median = (ours: Delays.median(ours), theirs: Delays.median(theirs))
            return Gauge(
                name: "foreign commit beside a writer, \(name)", unit: "ms", amount: median.ours, limit: limit,
                rival: Comparison(
                    rival: "no writer", ratio: median.theirs / median.ours, low: ratios.min() ?? 0,
                    high: ratios.max() ?? 0, theirs: median.theirs, target: nil))
        }
        return [
            gauge("median") { $0.percentile(50) },
            gauge("p99", limit: 100) { $0.percentile(99) },
            gauge("longest") { $0.percentile(100) },
        ]
    }
}

/// How long the commits of a round took to be noticed, in milliseconds.
private struct Delays: CustomStringConvertible {
    private let sorted: [Double]
    private let writes: Int

    init(nanoseconds: [Int64], writes: Int) {
        sorted = nanoseconds.map { Double($0) / 1e6 }.sorted()
        self.writes = writes
    }

    /// The smallest delay that so many percent of the delays do not exceed.
    func percentile(_ percent: Int) -> Double { sorted[max(0, (sorted.count * percent + 99) / 100 - 1)] }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    var description: String {
        let names = [("median", 50), ("p99", 99), ("longest", 100)]
        return names.map { "\($0) \(String(format: "%.2f", percentile($1))) ms" }.joined(separator: ", ")
            + (writes > 0 ? ", \(writes) writes" : "")
    }
}

/// One process that commits, in a new file.
private struct NoticeRound {
    let place: NoticePlace
    /// Whether this process writes meanwhile.
    let isBusy: Bool

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func run(commits: Int) async throws -> Delays {
        let store = try await place.open()
        let observer = Task { try await delays(of: commits, store) }
        let writer = isBusy ? Task { try await write(store) } : nil
        let process = try ForeignWriter.start(in: place, count: commits)
        // A thread of its own, so that none of the observer's waits.
        let status = try await Group.onThread {
            process.waitUntilExit()
            return process.terminationStatus
        }
        guard status == 0 else { throw Failure(description: "The committing process ended with \(status).") }
        let timeout = Task {
            try await Task.sleep(for: .seconds(10))
            observer.cancel()
        }
        let nanoseconds = try await observer.value
        timeout.cancel()
        writer?.cancel()
        let writes = try await writer?.value ?? 0
        guard nanoseconds.count == commits else {
            throw Failure(description: "\(nanoseconds.count) of \(commits) commits were noticed.")
        }
        try await store.close()
        try FileManager.default.removeItem(at: place.directory)
        return Delays(nanoseconds: nanoseconds, writes: writes)
    }

    /// The delay of each commit, when all are noticed.
    private func delays(of commits: Int, _ store: Store) async throws -> [Int64] {
        let last = Locked(Int64(0))
        var delays: [Int64] = []
        let values = store.values { db in
            var rows: [(id: Int64, committed: Int64)] = []
            try db.forEachRow("SELECT id, committed FROM notice WHERE id > \(last.value) ORDER BY id") { row in
                rows.append((try row[0], try row[1]))
            }
            return rows
        }
        for try await rows in values {
            let now = MonotonicClock.nanoseconds()
            delays += rows.map { now - $0.committed }
            if let id = rows.last?.id { last.value = id }
            if delays.count >= commits { return delays }
        }
        return delays
    }

    /// Writes one line after the other until the task is cancelled.
    private func write(_ store: Store) async throws -> Int {
        let text = String(repeating: "x", count: 200)
        var count = 0
        while !Task.isCancelled {
            do {
                try await store.write { db in try db.execute("INSERT INTO line (text) VALUES (\(text))") }
            } catch is CancellationError {
                break
            }
            count += 1
        }
        return count
    }
}

/// A value that the observer's task and its reads share.
private final class Locked: @unchecked Sendable {  // guarded by the lock
    private let lock = NSLock()
    private var current: Int64

    init(_ value: Int64) { current = value }

    var value: Int64 {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}
