import ArgumentParser
import Strongroom

/// `tables`: what is in a database.
struct TablesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables", abstract: "Lists the tables with their rows, and the views.")

    @OptionGroup var database: OneDatabase
    @OptionGroup var form: OutputOptions

    func run() async throws {
        let database = try database.resolve()
        let progress = CommandProgress("Counting", count: 1, isQuiet: form.json)
        defer { progress.finish() }
        let list = try await Interruption.cancelling {
            try await progress.accompany {
                try await database.readOnly().using { store in
                    try await store.read(label: "tables") { db in
                        try TableList(in: db) { progress.update(to: $0, of: $1) }
                    }
                }
            }
        }
        progress.finish()
        if form.json { return try form.write(list) }
        CommandSession.current.console.write(list.table)
    }
}
