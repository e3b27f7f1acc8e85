import ArgumentParser
import Strongroom

/// `import`: rows of a file into a table.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports the rows of a CSV or JSON Lines file into an existing table.",
        discussion: """
            In CSV the first line contains the column names, in JSON each line does. The import is one transaction: if \
            a line is bad, nothing is written, and the first bad lines are reported, up to --show-bad. A field is \
            converted to its column's declared type; a numeric column rejects a field that is not a number. In CSV an \
            empty field is NULL, and "" is an empty text; in JSON a missing column gets its default. Bytes are Base64, \
            in JSON {"base64":"AQID"}. Generated columns are skipped, and computed by the engine.

            Lines that the table skips because of a constraint with ON CONFLICT IGNORE are counted separately. A \
            constraint with ON CONFLICT ROLLBACK, and a deferred foreign key, roll everything back, even with \
            --skip-bad.
            """
    )

    @OptionGroup var database: OneDatabase
    @Argument(help: "The table.")
    var table: String
    @Argument(help: "The file; - for standard input.")
    var file: String
    @Option(
        help: ArgumentHelp(
            "Update the row with the same value in this unique column, if there is one.", valueName: "column"))
    var upsertBy: String?
    @Flag(help: "Skip bad lines, and import the others.")
    var skipBad = false
    @Option(help: ArgumentHelp("The maximum number of bad lines that are reported.", valueName: "n"))
    var showBad = 20
    @OptionGroup var text: TextOptions
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard file != "-" || !database.keys.keyStdin else {
            throw ValidationError("Standard input cannot contain both the keys and the rows.")
        }
        guard (0...1_000_000).contains(showBad) else {
            throw ValidationError("--show-bad takes a number up to 1000000.")
        }
    }

    func run() async throws {
        var work = TableImport(table, text.rowFormat(of: file == "-" ? nil : file))
        work.separator = text.separatorByte
        work.upsertBy = upsertBy
        work.skipsBadLines = skipBad
        work.maxBadLinesReported = showBad
        let database = try database.resolve()
        if file != "-" { try await database.requireForeign(file) }
        let progress = CommandProgress("Importing", count: 1, unit: .bytes, isQuiet: form.json)
        defer { progress.finish() }
        do {
            let report = try await Interruption.cancelling { [work, file] in
                try await database.using { store in try await Self.runImport(work, file, into: store, progress) }
            }
            progress.finish()
            if form.json { return try form.write(report) }
            show(report)
        } catch let failure as BadLines {
            progress.finish()
            guard !form.json else { throw failure.failure }
            printSummary(failure.report)
            throw failure.summary
        }
    }

    /// Imports the file until the task is cancelled, also while no input arrives: the thread that waits for input is
    /// not one of the task's.
    private static func runImport(
        _ work: TableImport, _ file: String, into store: Store, _ progress: CommandProgress
    ) async throws -> TableImport.Report {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await work.run(into: store) {
                try ByteSource.file(
                    file, isCancelled: { isCancelled.withLock { $0 } }, progress: { progress.update(to: $0, of: $1) })
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func show(_ report: TableImport.Report) {
        printSummary(report)
        var parts = ["\(HumanReadable.count(report.inserted, "row")) added"]
        if upsertBy != nil { parts.append("\(HumanReadable.count(report.updated)) changed") }
        if report.unchanged > 0 {
            parts.append("\(HumanReadable.count(report.unchanged, "line")) skipped by the table's constraints")
        }
        if report.bad > 0 { parts.append("\(HumanReadable.count(report.bad, "bad line")) skipped") }
        CommandSession.current.console.write("\(parts.joined(separator: ", "))")
    }

    private func printSummary(_ report: TableImport.Report) {
        let console = CommandSession.current.console
        for bad in report.badLines { console.write("\("line \(bad.line):", .yellow) \(bad.reason)", to: .errors) }
        let rest = report.bad - report.badLines.count
        if rest > 0 { console.write("and \(HumanReadable.count(rest)) more", to: .errors) }
    }
}
