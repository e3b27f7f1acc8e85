import ArgumentParser

/// `keys`: manages key files, and the slots of envelopes.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Creates and checks key files, and manages the slots of databases with an envelope.",
        discussion: """
            A key file contains the keys of a chain, one per line, oldest first: a passphrase, raw: and 64 \
            hexadecimal digits, recovery: and a recovery key, or share: and one of its shares. Only its owner may \
            have access. Without it the databases cannot be opened: keep a copy of it separate from the databases' \
            backups.

            make, append, fingerprints and check take a key file; slots, add, label, revoke and recovery a database \
            with an envelope, which every key opens that has a slot in it. Only recovery prints a key.
            """,
        subcommands: [
            KeysMakeCommand.self, KeysAppendCommand.self, KeysFingerprintsCommand.self, KeysCheckCommand.self,
            KeysSlotsCommand.self, KeysAddCommand.self, KeysLabelCommand.self, KeysRevokeCommand.self,
            KeysRecoveryCommand.self,
        ]
    )
}

/// The key file argument.
struct KeyFileArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The key file.", valueName: "file"))
    var file: String

    var path: String { FilePath.absolute(file) }
}
