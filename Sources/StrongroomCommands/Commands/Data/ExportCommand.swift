import ArgumentParser
import Strongroom

/// `export`: rows as text.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the rows of a table, or of a query, as CSV or JSON Lines.",
        discussion: """
            One snapshot is written; other processes can read and write meanwhile. In CSV an empty field is NULL, "" \
            is an empty text, and bytes are Base64; in JSON bytes are {"base64":"AQID"}, and numbers are exact. The \
            output is plaintext: a file has mode 0600, and gets its name when it is complete. With --force it \
            replaces a text file, never a database or a key file. With --json the rows are JSON Lines unless --format \
            or the file's name specifies another format.
            """
    )

    private struct Report: Encodable {
        let file: String
        let rows: Int
    }

    @OptionGroup var database: OneDatabase
    @Argument(help: "The table or view.")
    var table: String?
    @Option(help: ArgumentHelp("Export the rows of a query instead of a table.", valueName: "sql"))
    var query: String?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file (default: standard output, also as -).", valueName: "file"))
    var output: String?
    @Flag(help: "Replace an existing file.")
    var force = false
    @OptionGroup var text: TextOptions
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard (table == nil) != (query == nil) else { throw ValidationError("Give either a table or --query.") }
    }

    func run() async throws {
        let output = output == "-" ? nil : output
        var export = TableExport(
            query.map { .query($0) } ?? .table(table ?? ""),
            text.rowFormat(of: output, otherwise: form.json ? .jsonLines : .csv))
        export.separator = text.separatorByte
        let database = try database.resolve()
        if let output {
            try await database.requireForeign(output)
            try ExistingFile(output).requireTextOrNothing()
        }
        let console = CommandSession.current.console
        let progress = CommandProgress("Exporting", count: 1, isQuiet: form.json || output == nil)
        defer { progress.finish() }
        var reportProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)?
        if progress.isShown { reportProgress = { done, total in progress.update(to: done, of: total) } }
        do {
            let rows = try await Interruption.cancelling { [output, export, force, reportProgress] in
                try await database.readOnly().using { store in
                    guard let output else {
                        return try await export.run(from: store, write: { try console.write(lines: $0) })
                    }
                    let file = Locked(try OutputFile(output, replaces: force))
                    do {
                        let rows = try await export.run(
                            from: store, write: { text in try file.withLock { try $0.write(text) } },
                            progress: reportProgress)
                        try file.withLock { try $0.finish() }
                        return rows
                    } catch {
                        // Immediately: the process may end before the last reference to the file is released.
                        file.withLock { $0.discard() }
                        throw error
                    }
                }
            }
            progress.finish()
            guard let output else { return }
            if form.json { return try form.write(Report(file: output, rows: rows)) }
            console.write("\(HumanReadable.count(rows, "row")) written to \(output, .bold)")
        } catch is OutputClosed {
            // The reader has closed the output.
        }
    }
}
