import ArgumentParser

/// `keys`: manages key files.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Creates key files, adds keys to them, and checks them. No command prints a key.",
        discussion: """
            A key file contains the keys of a chain, one per line, oldest first: a passphrase, raw: and 64 \
            hexadecimal digits, or recovery: and a recovery key. Only its owner may have access. Without it the databases cannot be opened: keep a copy \
            of it separate from the databases' backups.
            """,
        subcommands: [
            KeysMakeCommand.self, KeysAppendCommand.self, KeysFingerprintsCommand.self, KeysCheckCommand.self,
        ]
    )
}

/// The key file argument.
struct KeyFileArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The key file.", valueName: "file"))
    var file: String

    var path: String { FilePath.absolute(file) }
}
