import ArgumentParser
import Strongroom

/// `query`: one statement.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Runs one SQL statement and prints its rows.",
        discussion: """
            Without --write the connection is read-only, whatever the statement. With it the statement runs in a \
            transaction. With --json each row is an object on its own line; for a statement that returns no rows the \
            output is {"changed":n}.
            """
    )

    private struct Change: Encodable {
        let changed: Int
    }

    @OptionGroup var database: OneDatabase
    @Argument(help: "The statement.")
    var sql: String
    @Flag(help: "Allow the statement to write.")
    var write = false
    @Flag(help: "Print CSV, with a header.")
    var csv = false
    @Option(help: ArgumentHelp("The maximum number of rows in a table.", valueName: "n"))
    var limit = 1_000
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard !csv || !form.json else { throw ValidationError("Use either --csv or --json.") }
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to 1000000.")
        }
    }

    func run() async throws {
        var query = QueryRun(sql)
        query.mayWrite = write
        query.limit = limit
        if csv { query.form = .rows(.csv) }
        if form.json { query.form = .rows(.jsonLines) }
        let found = try database.resolve()
        let database = write ? found : found.readOnly()
        let console = CommandSession.current.console
        // Ends with the first rows, which may be written to the same terminal.
        let progress = CommandProgress("Running", count: 1, isQuiet: form.json)
        defer { progress.finish() }
        do {
            let outcome = try await Interruption.cancelling { [query] in
                try await progress.accompany {
                    try await database.using { store in
                        try await query.run(on: store, to: console) { progress.finish() }
                    }
                }
            }
            progress.finish()
            if form.json, !outcome.givesRows, let changed = outcome.changed { try form.write(Change(changed: changed)) }
            guard query.form == .table, !form.quiet else { return }
            if outcome.isCut {
                let rows = HumanReadable.count(outcome.rows, "row")
                console.write(
                    "\("Only the first \(rows) of the result: use --limit, or --csv for all.", .dim)", to: .errors)
            }
            if let changed = outcome.reportedChangeCount {
                console.write("\("\(HumanReadable.count(changed, "row")) changed", .dim)", to: .errors)
            }
        } catch is OutputClosed {
            // The reader has closed the output.
        }
    }
}
