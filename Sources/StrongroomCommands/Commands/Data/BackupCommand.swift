import ArgumentParser
import Strongroom

/// `backup`: a copy of a database.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a consistent snapshot of a database into one file.",
        discussion: """
            Other processes can read and write meanwhile. The copy is a single file and opens with its own key: the \
            database's current one, or another. The copy of a database with an envelope opens with every key that has \
            a slot, a recovery key, too; FILE.keys and FILE.keys.copy belong to it, and one of them has to be kept \
            with it. It is verified before it gets its name: the authentication code and \
            the content of every page are compared with the database's. It is encrypted like the database; the copy of \
            a plaintext database is plaintext, unless a key is given.

            With --check-structure the structure of the copy is checked. If it has a defect, such as an index that \
            does not match its table, the database has the same defect; the copy is kept, with exit code 65, since \
            `restore` rejects such a copy. `verify` looks for the same defects in the database.
            """
    )

    @OptionGroup var database: OneDatabase
    @Argument(help: "The output file, mode 0600.")
    var file: String
    @Flag(help: "Replace an existing database.")
    var force = false
    @Flag(help: "Check the structure of the copy, too, which can take longer than copying.")
    var checkStructure = false
    @Option(help: ArgumentHelp("The copy gets the last key of this file.", valueName: "file"))
    var newKeyFile: String?
    @Option(help: ArgumentHelp("The copy gets the last key of this environment variable.", valueName: "name"))
    var newKeyEnv: String?
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard newKeyFile == nil || newKeyEnv == nil else {
            throw ValidationError("Give one of --new-key-file and --new-key-env.")
        }
    }

    func run() async throws {
        let source = newKeyFile.map { KeySource.file($0) } ?? newKeyEnv.map { .environment($0) }
        let key = try source?.keyChain().current
        let database = try database.resolve()
        try await database.requireForeign(file, keyFiles: [newKeyFile])
        guard try force || !Stores.hasFile(at: FilePath.absolute(file)) else { throw CommandFailure.exists(file) }
        try ExistingFile(FilePath.absolute(file)).requireDatabaseOrNothing()
        let progress = CommandProgress("Copying", count: 1, unit: .bytes, isQuiet: form.json)
        defer { progress.finish() }
        let report = try await Interruption.cancelling { [file, force, checkStructure] in
            try await database.readOnly().using { store in
                try await store.backup(
                    to: FilePath.absolute(file), key: key, replacing: force, checkingStructure: checkStructure
                ) { progress.update($0) }
            }
        }
        progress.finish()
        let detail = BackupDetail(report).withEnvelope()
        if form.json { try form.write(detail) } else { detail.show("Copied", report) }
        try detail.requireWhole()
    }
}
