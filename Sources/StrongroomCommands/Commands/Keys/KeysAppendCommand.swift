import ArgumentParser
import Strongroom

/// `keys append`: a new current key.
struct KeysAppendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "append",
        abstract: "Adds a key at the end of a key file, which becomes the current key: a random one, or a passphrase.",
        discussion: """
            --passphrase asks for a passphrase, twice; --passphrase-stdin takes the line on standard input.

            New files use the key; existing files keep theirs until they are rotated, and the older keys open them. \
            The key file is changed atomically: a program that reads it meanwhile gets either all old keys or all \
            new ones. If another process is changing it, the command waits.
            """
    )

    private struct Answer: Encodable {
        let path: String
        let keys: Int
    }

    @OptionGroup var key: KeyFileArgument
    @Option(help: ArgumentHelp("How many seconds to wait for another process, 0 to 3600.", valueName: "seconds"))
    var wait = 30
    @Flag(help: "Add a passphrase, which is typed.")
    var passphrase = false
    @Flag(help: "Add a passphrase, from standard input.")
    var passphraseStdin = false
    @OptionGroup var output: OutputOptions

    private static let pause = Duration.milliseconds(20)
    /// How long the command waits before it prints a message.
    private static let silence = Duration.seconds(1)

    func validate() throws {
        guard (0...3_600).contains(wait) else { throw ValidationError("--wait takes a number from 0 to 3600.") }
        guard !passphrase || !passphraseStdin else {
            throw ValidationError("Give one of --passphrase and --passphrase-stdin.")
        }
    }

    /// The key to add; nil for a random one.
    private func newKey() throws -> Key? {
        guard passphrase || passphraseStdin else { return nil }
        let source: KeySource = passphrase ? .newPrompt("New passphrase") : .standardInput
        let chain = try source.keyChain()
        guard chain.count == 1 else {
            throw CommandFailure("keySource", "Give one passphrase, in one line. Nothing was changed.", .configuration)
        }
        return chain.current
    }

    func run() async throws {
        let (file, patience, isQuiet) = (KeyFile(key.path), Duration.seconds(wait), output.json || output.quiet)
        let added = try newKey()
        let count = try await Interruption.cancelling {
            try await Self.append(added, to: file, patience, isQuiet: isQuiet)
        }
        if output.json { return try output.write(Answer(path: key.path, keys: count)) }
        CommandSession.current.console.write(
            lead: "",
            paragraph:
                """
                \(key.path) has \(count) keys now. Update your copy of it, then rotate the databases to \
                the new key with `rotate`.
                """
        )
    }

    /// Adds a key once no other process is changing the file.
    private static func append(
        _ key: Key?, to file: KeyFile, _ patience: Duration, isQuiet: Bool
    ) async throws -> Int {
        let start = ContinuousClock.now
        var isTold = isQuiet
        while true {
            do {
                return try file.append(key)
            } catch let error as StrongroomError where error.code == .locked {
                let waited = ContinuousClock.now - start
                guard waited < patience else { throw error }
                if !isTold, waited >= silence {
                    isTold = true
                    CommandSession.current.console.write(
                        "\("Another process is changing the key file; waiting for it.", .dim)", to: .errors)
                }
                try await Task.sleep(for: pause)
            }
        }
    }
}
