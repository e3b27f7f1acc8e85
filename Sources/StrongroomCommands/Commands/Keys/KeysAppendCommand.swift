import ArgumentParser
import Strongroom

/// `keys append`: a new current key.
struct KeysAppendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "append",
        abstract: "Adds a random key at the end of a key file, which is the current one from then on.",
        discussion: """
            New files get it; those that are there keep theirs until they are rotated, and the older keys open them. A program that reads the file \
            meanwhile gets all keys from before or all from after.
            """
    )

    private struct Answer: Encodable {
        let path: String
        let keys: Int
    }

    @OptionGroup var key: KeyFileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let count = try KeyFile(key.path).appendKey()
        if output.json { return try output.write(Answer(path: key.path, keys: count)) }
        CommandSession.current.console.write(
            lead: "",
            paragraph:
                "\(key.path) has \(count) keys now. Copy it to where you keep its copy, then bring the databases to the new key with `rotate`."
        )
    }
}
