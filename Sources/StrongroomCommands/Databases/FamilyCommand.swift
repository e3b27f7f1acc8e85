import Foundation
import Strongroom

/// A command for one database or several, which prints the outcomes, and writes the report and the metrics.
struct FamilyCommand<Detail: Encodable & Sendable>: Sendable {
    /// The command's name.
    let name: String
    /// The label of the progress bar, such as `Rotating`.
    let label: String
    let databases: [OperatedDatabase]
    let options: FamilyOptions
    let output: OutputOptions
    /// The unit of progress with one database.
    var unit = ProgressBar.Unit.bytes
    /// Other commands after which a database counts as done.
    var stronger: [String] = []
    /// Other commands after whose failure it does not.
    var weaker: [String] = []
    /// Whether a database that the report lists as done is still done; nil if the file itself shows whether it is.
    var isStillDone: (@Sendable (OperatedDatabase, ReportFile.Earlier) throws -> Bool)?

    /// Runs the command until it is finished or interrupted by Ctrl-C.
    ///
    /// - Parameter work: Processes one database.
    /// - Throws: ``CommandFailure`` with the failure of the only database, or with `someFailed`; `CancellationError`.
    func run(
        _ work: @escaping @Sendable (OperatedDatabase, CommandProgress) async throws -> FamilyRun<Detail>.Result
    ) async throws {
        let start = (date: Date.now, clock: ContinuousClock.now)
        let metrics = try options.metrics.map { try MetricsFile(FilePath.absolute($0)) }
        let report = try options.report.map {
            try ReportFile(FilePath.absolute($0), continuing: options.resume, of: [name] + stronger, weaker: weaker)
        }
        defer { report?.close() }
        let oldest = try options.oldest
        let progress = CommandProgress(label, count: databases.count, unit: unit, isQuiet: output.json)
        let run = FamilyRun(command: name, databases: databases, limit: options.atMost) { database in
            if let done = try skipped(database, report, since: oldest) { return done }
            return try await work(database, progress)
        }
        let finished = Locked<[Outcome<Detail>]>([])
        let result: Result<Void, any Error>
        do {
            _ = try await Interruption.cancelling {
                try await run.run { outcome in
                    if !outcome.isInterrupted { progress.advance() }
                    let outcome = outcome.withLastDone(report?.earlier[outcome.path]?.lastDone)
                    finished.withLock { $0.append(outcome) }
                    let line = try JSONLine.encode(outcome)
                    if output.json { CommandSession.current.console.write(verbatim: line) }
                    try report?.append(line)
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        progress.finish()
        let outcomes = finished.withLock { $0 }
        let isComplete = (try? result.get()) != nil
        let all = RunMetrics(
            name, databases, outcomes, since: start, isComplete: isComplete, knowsAge: isStillDone != nil)
        try end(outcomes, result, writing: { try metrics?.write(all) })
    }

    /// The result for a database that a resumed run does not repeat; nil for any other.
    private func skipped(
        _ database: OperatedDatabase, _ report: ReportFile?, since oldest: Date
    ) throws -> FamilyRun<Detail>.Result? {
        guard options.resume, let isStillDone, let earlier = report?.earlier[database.path], earlier.isFinished,
            (earlier.lastDone ?? .distantPast) >= oldest, try isStillDone(database, earlier)
        else { return nil }
        let time = earlier.lastDone.map { " on \($0.formatted(.iso8601))" } ?? ""
        return .init(.skipped, "done\(time) according to the report")
    }

    private func end(
        _ outcomes: [Outcome<Detail>], _ result: Result<Void, any Error>, writing metrics: () throws -> Void
    ) throws {
        if !output.json {
            let summary = FamilySummary(outcomes.filter { !$0.isInterrupted }, count: databases.count)
            summary.show(on: CommandSession.current.console, isComplete: (try? result.get()) != nil)
        }
        let written = Result { try metrics() }
        do {
            try result.get()
        } catch is CancellationError {
            // An interruption does not conceal what has failed.
            try outcomes.filter { !$0.isInterrupted }.throwFailure(of: databases.count)
            throw CancellationError()
        }
        try outcomes.throwFailure(of: databases.count)
        try written.get()
    }
}

extension Outcome {
    /// The outcome with the time at which the command was last done with the database, unless it is now.
    fileprivate func withLastDone(_ time: Date?) -> Outcome {
        var outcome = self
        if status != .done { outcome.lastDone = time }
        return outcome
    }
}
