/// The operations of a registry that the command-line tool uses.
extension Stores {
    /// The extensions that the configuration of a database lists.
    package func extensions(of name: DatabaseName) throws -> [any StoreExtension] {
        try configuration(of: name).extensions(for: name)
    }

    /// The path of a database, whether it exists or not; links are not resolved.
    ///
    /// - Throws: ``StrongroomError`` with `noConfiguration`, `duplicateConfiguration`, `invalidName`; what the
    ///   configuration throws.
    package func path(of name: DatabaseName) throws -> String {
        try configuration(of: name).checkedPath(for: name)
    }

    /// What shows that the file of a database, whether it is open or not, was not written since; and the path of the
    /// record of what was shipped to a replica.
    ///
    /// - Returns: Nil if there is no file, or not all of its commits are in it.
    package func stampOfWholeFile(
        _ name: DatabaseName, record: String
    ) throws -> (stamp: FileStamp, recordPath: String)? {
        let path = try FileSystem.resolve(self.path(of: name))
        let file = DatabaseFile(path: path, name: name.fileName, busyTimeout: 0, log: nil)
        return try FileStamp.ofCompleteFile(file).map { ($0, file.replicaRecordPath(record)) }
    }

    /// Whether anything exists at a path; links are resolved.
    ///
    /// - Throws: ``StrongroomError`` with `permissionDenied` if its directory cannot be searched.
    package static func hasFile(at path: String) throws -> Bool {
        try FileStatus.at(path) != nil || FileSystem.isSymbolicLink(path)
    }

    /// The other processes that have the file at a path open, where the system reports them.
    package static func holders(of path: String) throws -> [FileDiagnosis.Holder] {
        try FileHolders.staying(FileSystem.resolve(path), whenWaiting: { try Task.checkCancellation() }).map {
            FileDiagnosis.Holder(process: $0, name: FileHolders.name(of: $0))
        }
    }

    /// Whether the process may change the file at a path and create files beside it, and the disk has free space.
    package static func mayWriteFile(at path: String) -> Bool {
        // The engine creates files beside the file itself, not beside a link to it. If it cannot be found, opening
        // reports that.
        let file = (try? FileSystem.resolve(path)) ?? path
        let database = DatabaseFile(path: file, name: "", busyTimeout: 0, log: nil)
        return database.mayBeWritten && database.hasSpaceForIndex
    }

    /// Reads the content of a file, without changing it.
    ///
    /// - Parameters:
    ///   - name: The database.
    ///   - countsTables: Whether to count rows, which reads the whole file.
    ///   - progress: Called with the number of counted tables and the number of all.
    /// - Throws: ``StrongroomError`` as `open`, and of a file that is not there `fileMissing`; what the configuration
    ///   throws.
    package func survey(
        _ name: DatabaseName, countsTables: Bool = true,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> FileDiagnosis {
        var context = try StoreContext(name, configuration(of: name), in: .disk, checksMigrator: false)
        context.file.isReadOnly = true
        context = try context.located()
        guard try FileStatus.at(FileSystem.directory(of: context.path)) != nil else {
            throw StrongroomError(.fileMissing, "There is no file at \"\(context.path)\".", database: name.fileName)
        }
        var file = context.file.copy(at: context.path, busyTimeout: 5_000)
        file.isReadOnly = true
        let keys = FileExamination.Keys(
            chain: try await context.keyChain(), ciphers: context.ciphers, protection: context.protection,
            migrator: context.migrator)
        var attempt = 0
        while true {
            attempt += 1
            file.baseline = try FileStatus.at(file.path)
            do {
                return try await WorkMonitor.run({ progress(Int($0.done), Int($0.total)) }) { [file] monitor in
                    try FileExamination(file: file, monitor: monitor).survey(keys, countsTables: countsTables)
                }
            } catch let error as StrongroomError {
                // Without a WAL it is read without a lock, so that another process can change it meanwhile.
                guard error.code == .fileChanged, attempt < Self.attempts else { throw error.naming(name.fileName) }
            }
        }
    }

    private static let attempts = 5
}
