import Logging

extension Stores {
    /// The backups of a database from before its migrations, see ``StoreSettings/migrationBackups``.
    ///
    /// - Parameter fileName: The database's name.
    /// - Returns: The backups, newest first.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `permissionDenied`; what the configuration
    ///   throws.
    public func migrationBackups(of fileName: String) throws -> [MigrationBackup] {
        let name = try DatabaseName(fileName)
        let context = try StoreContext(name, configuration(of: name), in: .disk).located()
        return try context.file.migrationBackups()
    }

    /// Replaces a database with a migration backup of it; changes made since the backup are lost.
    ///
    /// The backup is copied, and the copy is checked: a key of the chain, or of the file's envelope, must open it, and
    /// every page must be intact. It is rewritten if it has other cipher settings than those of the configuration, or
    /// is plaintext and the chain has a key. Then it replaces the file atomically. The backup is kept. The next opening
    /// migrates the file again, so install the older program first.
    ///
    /// ```swift
    /// let restored = try await stores.restoreMigrationBackup(of: "addressbook_alice.sqlite")
    /// print(restored.version ?? "", restored.date)
    /// ```
    ///
    /// A file that is too damaged to be opened is not replaced: move it away together with its `-wal`, then restore.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be in use. A lent one that is idle is closed, and requests
    ///     for it wait.
    ///   - backup: The backup; nil for the newest.
    /// - Returns: The restored backup.
    /// - Throws: ``StrongroomError`` with `fileMissing` if there is no backup, `readOnly`, `alreadyOpen` if the file is
    ///   open in this process, `locked` if it or the backup is open in another one, `wrongKey` if no key opens the
    ///   backup, for example one from before a new data key, `damaged`, `diskFull`; what opening throws about names,
    ///   configurations and keys; `CancellationError`. The file is unchanged then.
    @discardableResult
    public func restoreMigrationBackup(
        of fileName: String, _ backup: MigrationBackup? = nil
    ) async throws -> MigrationBackup {
        try await replacingFile(fileName) { context, chain in
            let (restored, report) = try await WorkMonitor.run { monitor in
                let backups = try context.file.migrationBackups()
                guard let chosen = backups.first(where: { backup == nil || $0.path == backup?.path }) else {
                    throw StrongroomError(
                        .fileMissing,
                        """
                        There is no such migration backup of "\(context.path)", which has \
                        \(backups.count.counting("backup")). Use one of `migrationBackups(of:)`.
                        """
                    )
                }
                let restore = BackupRestore(
                    context: context, chain: chain, backup: chosen.path, monitor: monitor, isOfMigration: true)
                return (chosen, try restore.run())
            }
            if !report.attributesNotKept.isEmpty {
                let names = report.attributesNotKept.joined(separator: ", ")
                context.logger?.warning("not kept", metadata: ["attributes": .string(names)])
            }
            context.logger?.notice("restored", metadata: ["backup": .string(restored.path)])
            return restored
        }
    }
}
