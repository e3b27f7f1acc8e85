import ArgumentParser
import Strongroom

/// `keys check`: whether a key file can be used.
struct KeysCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a key file: who may read it, whether each line is a key, whether one stands there twice.",
        discussion: "The first fault that is found is told, and is exit code 78, or 66 when there is no file."
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
        CommandSession.current.console.write("\(key.path) is in order: \(count == 1 ? "one key" : "\(count) keys").")
    }
}
