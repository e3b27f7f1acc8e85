import ArgumentParser
import Strongroom

/// `keys check`: whether a key file can be used.
struct KeysCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a key file: its permissions, whether each line is a key, and whether all keys differ.",
        discussion: "The first error is reported, with exit code 78, or 66 if there is no file."
    )

    private struct Answer: Encodable {
        let path: String
        let keys: Int
    }

    @OptionGroup var key: KeyFileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let count = try KeyFile(key.path).keyChain().count
        if output.json { return try output.write(Answer(path: key.path, keys: count)) }
        CommandSession.current.console.write("\(key.path) is valid: \(count == 1 ? "one key" : "\(count) keys").")
    }
}
