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
        let list = try await Interruption.cancelling {
            try await database.readOnly().using { store in try await store.read { db in try TableList(db) } }
        }
        if form.json { return try form.write(list) }
        CommandSession.current.console.write(list.table)
    }
}
