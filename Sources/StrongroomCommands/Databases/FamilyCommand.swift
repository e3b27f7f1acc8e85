import Strongroom

/// A command for one database or several, which prints the outcomes and writes the report.
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
    /// Whether the report is resumed.
    var isContinuing = false

    /// Runs the command until it is finished or interrupted by Ctrl-C.
    ///
    /// - Parameter work: Processes one database.
    /// - Throws: ``CommandFailure`` with the failure of the only database, or with `someFailed`; `CancellationError`.
    func run(
        _ work: @escaping @Sendable (OperatedDatabase, CommandProgress) async throws -> FamilyRun<Detail>.Result
    ) async throws {
        let report = try options.report.map { try ReportFile(FilePath.absolute($0), continuing: isContinuing) }
        let progress = CommandProgress(label, count: databases.count, unit: unit, isQuiet: output.json)
        let run = FamilyRun(command: name, databases: databases, limit: options.atMost) { try await work($0, progress) }
        let finished = Locked<[Outcome<Detail>]>([])
        do {
            _ = try await Interruption.cancelling {
                try await run.run { outcome in
                    progress.advance()
                    finished.withLock { $0.append(outcome) }
                    let line = try JSONLine.encode(outcome)
                    if output.json { CommandSession.current.console.write(verbatim: line) }
                    try report?.append(line)
                }
            }
            progress.finish()
        } catch {
            progress.finish()
            show(finished.withLock { $0 }, isComplete: false)
            throw error
        }
        let outcomes = finished.withLock { $0 }
        show(outcomes, isComplete: true)
        try outcomes.throwFailure(of: databases.count)
    }

    private func show(_ outcomes: [Outcome<Detail>], isComplete: Bool) {
        guard !output.json else { return }
        let summary = FamilySummary(outcomes, count: databases.count)
        summary.show(on: CommandSession.current.console, isComplete: isComplete)
    }
}
