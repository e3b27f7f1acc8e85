import ArgumentParser
import Strongroom

/// `shell`: an interactive prompt.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Asks for statements and shows their rows.",
        discussion: """
            Without --write the connection can only read. Tab completes keywords, tables and columns. Lines are kept \
            in strongroom/history in the directory for state, for their owner alone; a line that begins with a space \
            is not, nor any with --no-history. Where there is no terminal, statements are read from standard input, \
            and the first error is the end.
            """
    )

    @OptionGroup var database: OneDatabase
    @Flag(help: "Let statements write.")
    var write = false
    @Flag(inversion: .prefixedNo, help: "Keep what is typed.")
    var history = true

    func validate() throws {
        guard !database.keys.keyStdin else {
            throw ValidationError("Standard input gives the statements; take the keys from elsewhere.")
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
