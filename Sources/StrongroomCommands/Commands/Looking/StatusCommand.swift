import ArgumentParser
import Foundation
import Strongroom

/// `status`: the state of databases.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Reports the paths, keys, schemas and tables of databases, and the processes that have them open.",
        discussion: """
            The files are not changed: nothing is rotated, and nothing is migrated. Keys are numbered by their \
            position in the chain, from 1 for the oldest.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @Flag(help: "Do not count rows: counting reads the whole file.")
    var brief = false
    // More than the commands that write: most of the time, a survey waits for the search for other processes, which
    // those that run at the same time share.
    @Option(help: ArgumentHelp("How many databases are examined at a time, 1 to 64.", valueName: "n"))
    var atMost = 8
    @Option(
        help: ArgumentHelp(
            "Read from a report when each database was last verified, rotated, backed up; may be repeated.",
            valueName: "file"))
    var readReport: [String] = []
    @Option(
        help: ArgumentHelp(
            "Write the ages of keys to a file NAME.prom, for the textfile collector of node-exporter.",
            valueName: "file"))
    var metrics: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...64).contains(atMost) else { throw ValidationError("--at-most takes a number from 1 to 64.") }
        try MetricsFile.check(metrics)
    }

    func run() async throws {
        let found = try databases.resolve()
        let isJSON = output.json
        let start = (date: Date.now, clock: ContinuousClock.now)
        let metrics = try metrics.map { try MetricsFile(FilePath.absolute($0)) }
        let times = readReport.isEmpty ? nil : try ReportFile.times(in: readReport.map(FilePath.absolute))
        let progress = CommandProgress("Looking", count: found.count, isQuiet: isJSON)
        let run = FamilyRun<StatusDetail>(command: "status", databases: found, limit: atMost) { database in
            try await result(of: database, times, progress)
        }
        let console = CommandSession.current.console
        let finished = Locked<[Outcome<StatusDetail>]>([])
        func writeMetrics(isComplete: Bool) throws {
            let run = RunMetrics(
                "status", found, finished.withLock { $0 }, since: start, isComplete: isComplete, knowsAge: false,
                dates: \.keyDates)
            try metrics?.write(run)
        }
        do {
            let outcomes = try await Interruption.cancelling {
                try await run.run { outcome in
                    guard !outcome.isInterrupted else { return }
                    progress.advance()
                    finished.withLock { $0.append(outcome) }
                    if isJSON { console.write(verbatim: try JSONLine.encode(outcome)) }
                }
            }
            progress.finish()
            if !isJSON { show(outcomes, of: found.count, on: console) }
            let written = Result { try writeMetrics(isComplete: true) }
            try outcomes.throwFailure(of: found.count)
            try written.get()
        } catch let cancellation as CancellationError {
            progress.finish()
            if !isJSON { show(finished.withLock { $0 }, of: found.count, on: console) }
            try? writeMetrics(isComplete: false)
            throw cancellation
        }
    }

    private func result(
        of database: OperatedDatabase, _ times: [String: [String: Date]]?, _ progress: CommandProgress
    ) async throws -> FamilyRun<StatusDetail>.Result {
        let survey = try await database.survey(countsTables: !brief) { progress.update(to: $0, of: $1) }
        var detail = try StatusDetail(survey, isConfigured: database.isConfigured)
        detail.last = times.map { $0[database.path] ?? [:] }
        let isReady = survey.planFailure == nil
        var result = FamilyRun<StatusDetail>.Result(isReady ? .done : .failed, detail.summary, detail)
        if let failure = survey.planFailure {
            result.failure = .init(code: "\(failure.code)", message: failure.message)
            result.exitStatus = ExitStatus(failure.code)
        }
        return result
    }

    private func show(_ outcomes: [Outcome<StatusDetail>], of count: Int, on console: Console) {
        guard count > 1 else {
            return outcomes.forEach { outcome in
                if let detail = outcome.detail { StatusView(outcome.database, detail).show(on: console) }
            }
        }
        if !outcomes.isEmpty { StatusTable(outcomes).show(on: console) }
    }
}
