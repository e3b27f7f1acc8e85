package import ArgumentParser
import Foundation

/// Options for commands that process several databases.
package struct FamilyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many databases are processed at a time, 1 to 64.", valueName: "n"))
    package var atMost = 4

    @Option(
        help: ArgumentHelp(
            "Write the outcome for each database to a file, as a line of JSON, as soon as it is finished.",
            valueName: "file"))
    package var report: String?

    @Flag(
        help: """
            Append to the report instead of starting it over, and skip the databases that are done: according to the \
            report where the file itself does not show it.
            """)
    package var resume = false

    @Option(
        help: ArgumentHelp(
            """
            With --resume, how long a line of the report counts: a number and s, m, h, d or w, such as 20h (default: \
            for ever).
            """, valueName: "time"))
    package var maxAge: String?

    @Option(
        help: ArgumentHelp(
            "Write metrics of the run to a file NAME.prom, for the textfile collector of node-exporter.",
            valueName: "file"))
    package var metrics: String?

    package init() {}

    package func validate() throws {
        guard (1...64).contains(atMost) else { throw ValidationError("--at-most takes a number from 1 to 64.") }
        guard !resume || report != nil else { throw ValidationError("--resume goes with --report FILE.") }
        guard maxAge == nil || resume else { throw ValidationError("--max-age goes with --resume.") }
        try MetricsFile.check(metrics)
        _ = try oldest
    }

    /// The time before which a line of the report does not count.
    var oldest: Date {
        get throws {
            guard let maxAge else { return .distantPast }
            return Date(timeIntervalSinceNow: -(try TimeSpan.seconds(maxAge, of: "--max-age")))
        }
    }
}

/// Times on a command line, such as `30d`.
enum TimeSpan {
    /// The seconds of a time.
    static func seconds(_ text: String, of option: String) throws -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number >= 0 else {
            throw ValidationError("\(option) takes a number and a unit, such as 12h or 30d.")
        }
        return Double(number) * unit
    }
}
