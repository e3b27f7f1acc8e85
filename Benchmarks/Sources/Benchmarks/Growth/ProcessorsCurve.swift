import ArgumentParser
import Foundation
import Strongroom
import TestData

/// Eight tasks that await reads by key, in a process that may use one processor, two, four, …, all.
struct ProcessorsCurve {
    /// What env(1) reports for a program that it does not find.
    private static let notFound: Int32 = 127

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let place: GrowthPlace

    func points() async throws -> [SeriesPoint] {
        try await place.openFilled().close()
        let all = ProcessInfo.processInfo.activeProcessorCount
        var points: [SeriesPoint] = []
        for count in sequence(first: 1, next: { $0 * 2 }).prefix(while: { $0 < all }) + [all] {
            guard let rate = try await rate(on: count) else {
                let message = "  processors: left out, since there is no taskset (Debian: util-linux)\n"
                try FileHandle.standardError.write(contentsOf: Data(message.utf8))
                return []
            }
            points.append(Curve.processors.point("reads by key, eight tasks", count, rate, "reads/s"))
        }
        return points
    }

    /// - Returns: Nil if there is no program that binds a process to processors.
    private func rate(on processors: Int) async throws -> Double? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "taskset", "-c", "0-\(processors - 1)", CommandLine.arguments[0], "read-growth",
            place.directory.path(percentEncoded: false),
        ]
        process.standardOutput = output
        try process.run()
        let text = try await Group.onThread {
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
        guard process.terminationStatus != Self.notFound else { return nil }
        let rate = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        guard process.terminationStatus == 0, let rate else {
            throw Failure(description: "The process bound to \(processors) ended with \(process.terminationStatus).")
        }
        return rate
    }
}

/// The program run again, as a process that reads and prints the reads in a second.
struct GrowthReader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "read-growth", shouldDisplay: false)

    @Argument(help: "The directory of the file.")
    var directory: String

    func run() async throws {
        let store = try await GrowthPlace(directory: URL(filePath: directory)).open()
        let keys = Array(TestData.shuffledKeys().prefix(TestData.awaitedReadCount))
        var rates: [Double] = []
        for _ in 0...3 {
            let start = ContinuousClock.now
            let found = try await Group.readEach(keys, tasks: TestData.readingTasks, store)
            rates.append((ContinuousClock.now - start).rate(of: keys.count))
            try Summary(rows: found.rows).check(Summary(rows: Int64(keys.count)))
        }
        try await store.close()
        // The first round opens the readers.
        print(Measure.median(Array(rates.dropFirst())))
    }
}
