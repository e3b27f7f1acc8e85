import ArgumentParser
import Strongroom

/// `shell`: an interactive prompt.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Prompts for statements and prints their rows.",
        discussion: """
            Without --write the connection is read-only. Tab completes keywords, tables and columns. Lines are stored \
            in strongroom/history in the state directory, readable only by their owner, except for lines that begin \
            with a space; with --no-history none are. Without a terminal, statements are read from standard input up \
            to the first error.
            """
    )

    @OptionGroup var database: OneDatabase
    @Flag(help: "Allow statements to write.")
    var write = false
    @Flag(inversion: .prefixedNo, help: "Store the lines that are typed.")
    var history = true

    func validate() throws {
        guard !database.keys.keyStdin else {
            throw ValidationError("Standard input contains the statements; take the keys from another source.")
        }
    }

    func run() async throws {
        let found = try database.resolve()
        let database = write ? found : found.readOnly()
        let console = CommandSession.current.console
        do {
            try await database.using { store in
                try await ShellRun(store, console, mayWrite: write, keepsHistory: history).run()
            }
        } catch is OutputClosed {
            // The reader has closed the output.
        }
    }
}
