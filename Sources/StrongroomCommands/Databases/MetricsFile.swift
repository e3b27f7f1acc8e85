import ArgumentParser
import Foundation
import Strongroom

/// A metric of the tool, in the order of the file.
enum Metric: String, CaseIterable {
    case lastRun = "strongroom_last_run_timestamp_seconds"
    case lastSuccess = "strongroom_last_success_timestamp_seconds"
    case duration = "strongroom_run_duration_seconds"
    case files = "strongroom_files"
    case oldestSuccess = "strongroom_oldest_success_timestamp_seconds"
    case oldestDataKey = "strongroom_oldest_data_key_timestamp_seconds"
    case oldestSlot = "strongroom_oldest_key_slot_timestamp_seconds"

    var help: String {
        switch self {
        case .lastRun: "When the command last ended, successful or not."
        case .lastSuccess: "When the command last ended without a failure."
        case .duration: "How long the last run took."
        case .files: "The number of databases of the last run by outcome."
        case .oldestSuccess: "The oldest of the times at which the databases were last done."
        case .oldestDataKey: "When the oldest of the data keys was created with which the databases are encrypted."
        case .oldestSlot: "When the oldest of the slots was created whose keys open the databases."
        }
    }
}

/// A value of a metric.
struct MetricSample: Equatable {
    let metric: Metric
    /// The labels as in the file, without braces; those of the command and the family come first.
    let labels: String
    let value: String

    /// A line of the file; nil for another line.
    init?(line: Substring) {
        guard let brace = line.firstIndex(of: "{"), let end = line.range(of: "} ", options: .backwards),
            brace < end.lowerBound, let metric = Metric(rawValue: String(line[..<brace]))
        else { return nil }
        self.metric = metric
        (labels, value) = (String(line[line.index(after: brace)..<end.lowerBound]), String(line[end.upperBound...]))
    }

    init(_ metric: Metric, _ labels: String, _ value: some LosslessStringConvertible) {
        (self.metric, self.labels, self.value) = (metric, labels, "\(value)")
    }

    init(_ metric: Metric, _ labels: String, _ time: Date) {
        self.init(metric, labels, Int(time.timeIntervalSince1970))
    }

    /// A label, with its value in the form of the text format.
    static func label(_ name: String, _ value: String) -> String {
        // A quotation mark and a combining character are one `Character`.
        let escaped = value.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(scalar)
            }
        }
        return "\(name)=\"\(escaped.joined())\""
    }
}

/// The metrics of one run of a command, by families, and by databases without one.
struct RunMetrics {
    /// The labels of a command and a family, or a database, with the samples.
    let samples: [(labels: String, samples: [MetricSample])]

    /// The dates of the keys of a database with an envelope; nil for what is not known.
    struct KeyDates: Sendable {
        let dataKey: Date?
        let oldestSlot: Date?
    }

    /// - Parameters:
    ///   - isComplete: Whether the run was neither interrupted nor ended by an error.
    ///   - knowsAge: Whether the report says when the command was last done with a database.
    ///   - dates: The dates of the keys of a database; nil without an envelope.
    init<Detail>(
        _ command: String, _ databases: [OperatedDatabase], _ outcomes: [Outcome<Detail>],
        since start: (date: Date, clock: ContinuousClock.Instant), isComplete: Bool, knowsAge: Bool,
        dates: (Detail) -> KeyDates? = { _ in nil }
    ) {
        let seconds = (ContinuousClock.now - start.clock).milliseconds / 1_000
        let found = Dictionary(outcomes.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        samples = Dictionary(grouping: databases, by: \.label).map { label, members in
            let labels = "\(MetricSample.label("command", command)),\(label)"
            let own = members.compactMap { found[$0.path] }.filter { !$0.isInterrupted }
            let counts: [(outcome: String, count: Int)] =
                [Outcome<Detail>.Status.done, .skipped, .failed].map { status in
                    (status.rawValue, own.count { $0.status == status })
                } + [("interrupted", members.count - own.count)]
            var samples = [
                MetricSample(.lastRun, labels, .now),
                MetricSample(.duration, labels, seconds),
            ]
            samples += counts.map {
                MetricSample(.files, "\(labels),\(MetricSample.label("outcome", $0.outcome))", $0.count)
            }
            let isSuccess = isComplete && own.count == members.count && !own.contains { $0.status == .failed }
            if isSuccess { samples.append(MetricSample(.lastSuccess, labels, .now)) }
            let times = members.compactMap { member in
                found[member.path].flatMap { $0.status == .done ? $0.end : $0.lastDone }
            }
            if knowsAge, times.count == members.count, let oldest = times.min() {
                samples.append(MetricSample(.oldestSuccess, labels, oldest))
            }
            let details = members.compactMap { found[$0.path]?.detail }
            if details.count == members.count { samples += Self.samples(details.compactMap(dates), labels) }
            return (labels, samples)
        }
    }

    /// The oldest dates; none for what is not known of each database.
    private static func samples(_ dates: [KeyDates], _ labels: String) -> [MetricSample] {
        let (dataKeys, slots) = (dates.compactMap(\.dataKey), dates.compactMap(\.oldestSlot))
        let oldest: [(Metric, Date?)] = [
            (.oldestDataKey, dataKeys.count == dates.count ? dataKeys.min() : nil),
            (.oldestSlot, slots.count == dates.count ? slots.min() : nil),
        ]
        return oldest.compactMap { metric, date in date.map { MetricSample(metric, labels, $0) } }
    }
}

extension OperatedDatabase {
    /// The label of its family if the command was given that, otherwise its own: of a family not all may be there.
    fileprivate var label: String {
        family.map { MetricSample.label("family", $0) }
            ?? MetricSample.label("database", isConfigured ? name.fileName : path)
    }
}

/// A file for the textfile collector of node-exporter, in Prometheus' text format. What other commands and families
/// have in it stays, and the time of the last success.
struct MetricsFile {
    private let path: String

    /// Checks the name that an option gives.
    static func check(_ path: String?) throws {
        guard path?.hasSuffix(".prom") ?? true else {
            throw ValidationError("--metrics takes a file NAME.prom: node-exporter reads no other.")
        }
    }

    /// Checks the file.
    ///
    /// - Throws: ``CommandFailure`` with `metrics` if it is another kind of file, or cannot be read.
    init(_ path: String) throws {
        self.path = path
        _ = try samples()
    }

    /// Reads what is in the file.
    private func samples() throws -> [MetricSample] {
        guard try Stores.hasFile(at: path) else { return [] }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                "metrics", "\"\(path)\" cannot be read, and is not replaced. Use another file.", .inputOutput)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        let samples = lines.compactMap { MetricSample(line: $0) }
        guard samples.count == lines.count else {
            throw CommandFailure(
                "metrics", "\"\(path)\" is not a file of metrics of this tool, and is not replaced. Use another file.",
                .usage)
        }
        return samples
    }

    /// The new file, which is locked: another process that ends at this moment is done with its own soon.
    private func output() throws -> OutputFile {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try OutputFile(path, replaces: true, mode: 0o644)
            } catch let failure as CommandFailure where failure.code == "locked" && ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Replaces the file, which other users may read: node-exporter runs as one of its own.
    func write(_ run: RunMetrics) throws {
        let file = try output()
        var all = try samples()
        for (labels, samples) in run.samples {
            let hasSuccess = samples.contains { $0.metric == .lastSuccess }
            all.removeAll { sample in
                let isOwn = sample.labels == labels || sample.labels.hasPrefix("\(labels),")
                return isOwn && (sample.metric != .lastSuccess || hasSuccess)
            }
            all += samples
        }
        let text = Metric.allCases.map { metric in
            let lines = all.filter { $0.metric == metric }.map { "\(metric.rawValue){\($0.labels)} \($0.value)\n" }
            let head = "# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) gauge\n"
            return lines.isEmpty ? "" : head + lines.sorted().joined()
        }
        try file.write(text.joined())
        try file.finish()
    }
}
