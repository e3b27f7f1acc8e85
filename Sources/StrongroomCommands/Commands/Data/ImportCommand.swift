import ArgumentParser
import Strongroom

/// `import`: rows of a file into a table.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings the rows of a CSV or JSON Lines file into a table that is there.",
        discussion: """
            The first line of CSV names the columns, of JSON each line does. Everything goes into one transaction: \
            when a line is bad, nothing is written, and the first bad lines are named, as many as --show-bad says. A \
            field becomes what its column's declared type says; what is no number is refused by a column of numbers. \
            In CSV an empty field is NULL, and "" a text without characters; in JSON a column that is not there has \
            its default. Bytes are Base64, in JSON {"base64":"AQID"}. A generated column is passed over, and computed \
            anew.

            A line of which the table takes nothing, as a rule with ON CONFLICT IGNORE has it, is counted by itself. A \
            rule with ON CONFLICT ROLLBACK, and a foreign key that is looked at when all lines are written, undo \
            everything, with --skip-bad, too.
            """
    )

    @OptionGroup var database: OneDatabase
    @Argument(help: "The table.")
    var table: String
    @Argument(help: "The file; - for standard input.")
    var file: String
    @Option(
        help: ArgumentHelp(
            "Change the row that has the same value in this unique column, if there is one.", valueName: "column"))
    var upsertBy: String?
    @Flag(help: "Leave bad lines out, and import the others.")
    var skipBad = false
    @Option(help: ArgumentHelp("How many bad lines are named.", valueName: "n"))
    var showBad = 20
    @OptionGroup var text: TextOptions
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard file != "-" || !database.keys.keyStdin else {
            throw ValidationError("Standard input cannot give both the keys and the rows.")
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
        work.badLinesTold = showBad
        let database = try database.resolve()
        if file != "-" { try await database.requireForeign(file) }
        let progress = CommandProgress("Importing", count: 1, unit: .bytes, isQuiet: form.json)
        defer { progress.finish() }
        do {
            let report = try await Interruption.cancelling { [work, file] in
                try await database.using { store in try await Self.bring(work, file, into: store, progress) }
            }
            progress.finish()
            if form.json { return try form.write(report) }
            show(report)
        } catch let failure as BadLines {
            progress.finish()
            guard !form.json else { throw failure.failure }
            tell(failure.report)
            throw failure.summary
        }
    }

    /// Imports the file until the task is cancelled, also while no input arrives: the thread that waits for input is
    /// not one of the task's.
    private static func bring(
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
        tell(report)
        var parts = ["\(HumanReadable.count(report.inserted, "row")) added"]
        if upsertBy != nil { parts.append("\(HumanReadable.count(report.updated)) changed") }
        if report.unchanged > 0 {
            parts.append("\(HumanReadable.count(report.unchanged, "line")) passed over by the table's rules")
        }
        if report.bad > 0 { parts.append("\(HumanReadable.count(report.bad, "bad line")) left out") }
        CommandSession.current.console.write("\(parts.joined(separator: ", "))")
    }

    private func tell(_ report: TableImport.Report) {
        let console = CommandSession.current.console
        for bad in report.badLines { console.write("\("line \(bad.line):", .yellow) \(bad.reason)", to: .errors) }
        let rest = report.bad - report.badLines.count
        if rest > 0 { console.write("and \(HumanReadable.count(rest)) more", to: .errors) }
    }
}
