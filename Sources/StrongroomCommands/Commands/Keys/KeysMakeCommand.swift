import ArgumentParser
import Strongroom

/// `keys make`: creates a key file.
struct KeysMakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Creates a key file with one random key, mode 0600. An existing file is never overwritten."
    )

    private struct Answer: Encodable {
        let path: String
        let keys: Int
    }

    @OptionGroup var key: KeyFileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard try !KeyFile(key.path).exists() else {
            throw CommandFailure(
                "exists",
                """
                "\(key.path)" exists and is not overwritten: a database may need its keys. Use another path, or \
                append to it.
                """,
                .cannotCreate)
        }
        try KeyFile(key.path).create()
        if output.json { return try output.write(Answer(path: key.path, keys: 1)) }
        CommandSession.current.console.write(
            lead: "",
            paragraph:
                """
                Created \(key.path) with one random key. Keep a copy of it elsewhere: without it the files that it \
                encrypts cannot be opened.
                """
        )
    }
}
