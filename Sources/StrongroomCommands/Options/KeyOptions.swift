package import ArgumentParser
package import Strongroom

/// The options that name a source of keys for one use, each with a prefix of its own: the only list of them, beside
/// standard input and the prompt.
package protocol KeyUseName: Sendable {
    /// What precedes the names of the options, such as `new-`.
    static var prefix: String { get }
    /// What is done with the keys, as the start of the help, such as `Take the keys`.
    static var purpose: String { get }
}

/// A file, a credential or an environment variable with keys.
package struct KeySourceOptions<Use: KeyUseName>: ParsableArguments {
    @Option(
        name: .customLong("\(Use.prefix)key-file"),
        help: ArgumentHelp("\(Use.purpose) from a file: one per line, oldest first, mode 0600.", valueName: "file"))
    package var file: String?

    @Option(
        name: .customLong("\(Use.prefix)credential"),
        help: ArgumentHelp(
            """
            \(Use.purpose) from a secret that a platform mounts: the file of this name in $CREDENTIALS_DIRECTORY, \
            which systemd sets.
            """, valueName: "name"))
    package var credential: String?

    @Option(
        name: .customLong("\(Use.prefix)key-env"),
        help: ArgumentHelp("\(Use.purpose) from an environment variable.", valueName: "name"))
    package var environment: String?

    package init() {}

    /// The names of the options.
    static var names: [String] { ["key-file", "credential"].map { "--\(Use.prefix)\($0)" } + [environmentName] }

    /// The name of the option that takes a variable.
    static var environmentName: String { "--\(Use.prefix)key-env" }

    var count: Int { [file, credential, environment].count { $0 != nil } }

    package func validate() throws {
        guard count < 2 else {
            throw ValidationError("Give only one of \(Self.names.alternatives).")
        }
    }

    /// The source of the keys; nil if no option specifies one.
    package var source: KeySource? {
        file.map { .file($0) } ?? credential.map { .credential($0) } ?? environment.map { .environment($0) }
    }

    /// The path of the file with the keys; nil if no option names one.
    package var path: String? { file ?? credential.flatMap { try? KeyFile(credential: $0).path } }
}

/// The keys of the database.
package enum OwnKeys: KeyUseName {
    package static let prefix = ""
    package static let purpose = "Take the keys"
}

/// A key that something new gets.
package enum NewKey: KeyUseName {
    package static let prefix = "new-"
    package static let purpose = "Take the new key, the last one,"
}

/// The keys of a backup that is restored.
package enum BackupKeys: KeyUseName {
    package static let prefix = "backup-"
    package static let purpose = "Take the keys of the backup"
}

/// The key options; without any, the keys are those of the configuration, and without one they are typed.
package struct KeyOptions: ParsableArguments {
    @OptionGroup package var from: KeySourceOptions<OwnKeys>

    @Flag(help: "Take the keys from standard input.")
    package var keyStdin = false

    @Flag(help: "The file is not encrypted: use no key.")
    package var plaintext = false

    package init() {}

    /// The options that give keys, for texts: "--key-file, --credential, --key-env or --key-stdin".
    package static let list = (KeySourceOptions<OwnKeys>.names + ["--key-stdin"]).alternatives

    package func validate() throws {
        guard from.count + [keyStdin, plaintext].count(where: { $0 }) < 2 else {
            throw ValidationError("Give only one of \(Self.list), or --plaintext.")
        }
    }

    /// The source of the keys; nil if no option specifies one.
    package var source: KeySource? { from.source ?? (keyStdin ? .standardInput : nil) }

    /// The path of the file with the keys; nil if no option names one.
    package var path: String? { from.path }

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

extension [String] {
    /// The items as a list in a sentence: "a, b or c".
    var alternatives: String {
        guard count > 1, let last else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}
