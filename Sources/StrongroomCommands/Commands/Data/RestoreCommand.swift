import ArgumentParser
import Strongroom

/// `restore`: replaces a database by a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces a database by a backup.",
        discussion: """
            The backup is not changed. A copy of it is verified and then replaces the database atomically; until then \
            the database is not changed. A backup with another key than the database's is re-encrypted with the \
            database's current key. The keys may be a recovery key, as a line of its own, if FILE.keys is beside the \
            backup. The database must not be open in any process.

            A database that cannot be opened (empty, truncated, damaged, or with an unknown key) is not replaced, not \
            even with --force: its rows may still be recoverable. Move it and the files that belong to it (-wal, \
            -shm, -journal, .keys, .keys.copy) to another directory, then restore.
            """
    )

    @Argument(help: "The backup.")
    var file: String
    @OptionGroup var database: OneDatabase
    @Flag(help: "Replace an existing database: all changes since the backup are lost.")
    var force = false
    @OptionGroup var backupKeys: KeySourceOptions<BackupKeys>
    @Option(
        help: ArgumentHelp("The backup is of this other database, which becomes this one.", valueName: "name"))
    var adoptFrom: String?
    @Flag(help: "The backup may be plaintext, and so may the database if its configuration says so.")
    var allowPlaintext = false
    @OptionGroup var form: OutputOptions

    func run() async throws {
        let backupKeys = try backupKeys.source?.keyChain()
        let isConfigured = !FilePath.isPath(database.database)
        // Not by `resolve()`, which requires a file. With other keys for the backup, typed keys of the database could
        // not be verified.
        let target = try OperatedDatabase(
            database.database, path: database.path,
            keys: database.keys.keyChain(
                asking: isConfigured ? nil : "Key of \(database.database)", isNew: backupKeys != nil))
        guard try force || !Stores.hasFile(at: target.path) else {
            throw CommandFailure(
                "exists", "There is a database at \"\(target.path)\". Give --force to replace it by the backup.",
                .cannotCreate)
        }
        try await target.requireNoKeyFile(target.path, keyFiles: [database.keys.path, self.backupKeys.path])
        let progress = CommandProgress("Restoring", count: 1, unit: .bytes, isQuiet: form.json)
        defer { progress.finish() }
        let report = try await Interruption.cancelling { [file, allowPlaintext, adoptFrom] in
            try await target.restore(
                FilePath.absolute(file), keys: backupKeys, allowingPlaintext: allowPlaintext, adoptingFrom: adoptFrom
            ) { progress.update($0) }
        }
        progress.finish()
        let detail = BackupDetail(report)
        if form.json { try form.write(detail) } else { detail.show("Restored", report) }
    }
}

extension OperatedDatabase {
    /// Restores a backup.
    fileprivate func restore(
        _ path: String, keys: KeyChain?, allowingPlaintext: Bool, adoptingFrom previousName: String?,
        progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> BackupReport {
        try await Stores(answering: name.target, with: configuration).restore(
            name.fileName, from: path, keys: keys, allowingPlaintext: allowingPlaintext,
            adoptingFrom: previousName, progress: progress)
    }
}
