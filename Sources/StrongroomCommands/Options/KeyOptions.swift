package import ArgumentParser
package import Strongroom

/// The key options; without any, the keys are those of the configuration, and without one they are typed.
package struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the keys from a file: one per line, oldest first, mode 0600.", valueName: "file"))
    package var keyFile: String?

    @Option(
        help: ArgumentHelp(
            """
            Take the keys from a secret that a platform mounts: the file of this name in $CREDENTIALS_DIRECTORY, which \
            systemd sets.
            """, valueName: "name"))
    package var credential: String?

    @Option(help: ArgumentHelp("Take the keys from an environment variable.", valueName: "name"))
    package var keyEnv: String?

    @Flag(help: "Take the keys from standard input.")
    package var keyStdin = false

    @Flag(help: "The file is not encrypted: use no key.")
    package var plaintext = false

    package init() {}

    package func validate() throws {
        let given = [keyFile != nil, credential != nil, keyEnv != nil, keyStdin, plaintext].count { $0 }
        guard given < 2 else {
            throw ValidationError("Use only one of --key-file, --credential, --key-env, --key-stdin and --plaintext.")
        }
    }

    /// The source of the keys; nil if no option specifies one.
    package var source: KeySource? {
        if let keyFile { return .file(keyFile) }
        if let credential { return .credential(credential) }
        if let keyEnv { return .environment(keyEnv) }
        return keyStdin ? .standardInput : nil
    }

    /// The path of the file with the keys; nil if no option names one.
    package var path: String? { keyFile ?? credential.flatMap { try? KeyFile(credential: $0).path } }

    /// The keys of the options, read once per command.
    ///
    /// - Parameters:
    ///   - prompt: The prompt on the terminal if no option specifies a source; nil if a configuration has the keys.
    ///   - isNew: Whether the key is a new one for a file, which is asked for twice.
    /// - Returns: The chain; nil for that of the configuration.
    package func keyChain(asking prompt: String?, isNew: Bool = false) throws -> KeyChain? {
        if plaintext { return .plaintext }
        return try (source ?? prompt.map { isNew ? .newPrompt($0) : .prompt($0) })?.keyChain()
    }
}
