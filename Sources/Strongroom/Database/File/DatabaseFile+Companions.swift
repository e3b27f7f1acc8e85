/// The files beside a database that belong to it.
extension DatabaseFile {
    /// Throws if the path of a WAL, index or journal is a symbolic link, FIFO or device, which the engine would follow
    /// or open.
    ///
    /// To be called before the engine opens the file. A user who may write to the directory can still create one in
    /// between.
    ///
    /// - Throws: ``StrongroomError`` with `notAFile`.
    func requireOwnLogs() throws {
        for file in sideFiles.engineFiles { try requireRegular(file) }
    }

    /// The beginning of the suffix of records of what was shipped to replicas; see `StrongroomReplication`.
    private static let replicaEnding = "replica-"

    /// The path of the record of what was shipped to a replica.
    func replicaRecordPath(_ name: String) -> String {
        FileSystem.companion(of: path, Self.replicaEnding + name)
    }

    /// The paths of the records of what was shipped to replicas.
    func replicaRecordPaths() throws -> [String] {
        let beginning = FileSystem.name(of: replicaRecordPath(""))
        let directory = FileSystem.directory(of: path)
        return try FileSystem.names(in: directory).filter { $0.utf8.starts(with: beginning.utf8) }
            .map { "\(directory)/\($0)" }
    }

    /// Throws if the path of one of the engine's or the library's files beside the database is not a regular file.
    ///
    /// - Returns: Those of ``SideFiles/libraryEndings`` that exist.
    /// - Throws: As ``requireOwnLogs()``.
    @discardableResult
    func requireOwnCompanions() throws -> Set<String> {
        for file in sideFiles.all { try requireRegular(file) }
        let beginning = FileSystem.companion(of: path, "")
        return try Set(SideFiles.libraryEndings.filter { try requireRegular(beginning + $0) })
    }

    /// - Returns: Whether there is a file.
    @discardableResult
    private func requireRegular(_ path: String) throws -> Bool {
        do {
            return try FileSystem.requireRegular(path) != nil
        } catch let error as StrongroomError {
            throw error.naming(name)
        }
    }

    /// The beginning of the suffix of migration backups, after the file's own name; 0.1.0 called them snapshots.
    static let migrationBackupEnding = "snapshot-"

    /// Whether the file has a migration backup, which has the key and the content that the file had then.
    func hasMigrationBackups() throws -> Bool {
        let beginning = FileSystem.name(of: FileSystem.companion(of: path, Self.migrationBackupEnding))
        return try FileSystem.names(in: FileSystem.directory(of: path)).contains {
            $0.utf8.starts(with: beginning.utf8)
        }
    }
}
