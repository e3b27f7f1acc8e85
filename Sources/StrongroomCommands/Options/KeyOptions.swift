package import ArgumentParser
package import Strongroom

/// Which keys a command takes; without any of these those of the configuration, and without one what is typed.
package struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the keys from a file: one a line, oldest first, mode 0600.", valueName: "file"))
    package var keyFile: String?

    @Option(help: ArgumentHelp("Take the keys from an environment variable.", valueName: "name"))
    package var keyEnv: String?

    @Flag(help: "Take the keys from standard input.")
    package var keyStdin = false

    @Flag(help: "The file is not encrypted: take no key.")
    package var plaintext = false

    package init() {}

    package func validate() throws {
        let given = [keyFile != nil, keyEnv != nil, keyStdin, plaintext].count { $0 }
        guard given < 2 else {
            throw ValidationError("Give one of --key-file, --key-env, --key-stdin and --plaintext, not several.")
        }
    }

    /// Where the keys are to be read; nil when the options say nothing of it.
    package var source: KeySource? {
        if let keyFile { return .file(keyFile) }
        if let keyEnv { return .environment(keyEnv) }
        return keyStdin ? .standardInput : nil
    }

    /// The keys that the options give, to be read once a command.
    ///
    /// - Parameters:
    ///   - question: What is asked on the terminal when the options say nothing; nil when a configuration has the keys.
    ///   - isNew: Whether a file is to get the key, which is asked for twice then.
    /// - Returns: The chain; nil for the configuration's.
    package func keyChain(asking question: String?, isNew: Bool = false) throws -> KeyChain? {
        if plaintext { return .plaintext }
        return try (source ?? question.map { isNew ? .newPrompt($0) : .prompt($0) })?.keyChain()
    }
}
