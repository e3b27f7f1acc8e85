/// What the operator's commands ask of a registry.
extension Stores {
    /// The configuration of a database.
    ///
    /// - Throws: ``StrongroomError`` with `noConfiguration`, `duplicateConfiguration`.
    package func registeredConfiguration(of name: DatabaseName) throws -> any Configuration {
        try configuration(of: name)
    }

    /// Where a database lies, or would lie; links are not followed.
    ///
    /// - Throws: ``StrongroomError`` with `noConfiguration`, `duplicateConfiguration`, `invalidName`; what the
    ///   configuration throws.
    package func path(of name: DatabaseName) throws -> String {
        try configuration(of: name).checkedPath(for: name)
    }

    /// Whether anything lies at a path; links are followed.
    ///
    /// - Throws: ``StrongroomError`` with `permissionDenied` when its directory cannot be searched.
    package static func hasFile(at path: String) throws -> Bool {
        try FileStatus.at(path) != nil || FileSystem.isSymbolicLink(path)
    }

    /// Whether the process may change the file at a path, and make others beside it, and the disk has space for them.
    package static func mayWriteFile(at path: String) -> Bool {
        // Beside the file itself is where the engine makes others, not beside a link to it. One that cannot be found is
        // told of when it is opened.
        let file = (try? FileSystem.resolve(path)) ?? path
        let database = DatabaseFile(path: file, name: "", busyTimeout: 0, log: nil)
        return database.mayBeWritten && database.hasSpaceForIndex
    }

    /// Looks what stands in a file, without changing it.
    ///
    /// - Parameters:
    ///   - name: The database.
    ///   - countsTables: Whether rows are counted, which reads the whole file.
    ///   - progress: Told how many tables are counted, and how many there are.
    /// - Throws: ``StrongroomError`` as `open`, and of a file that is not there `fileMissing`; what the configuration
    ///   throws.
    package func survey(
        _ name: DatabaseName, countsTables: Bool = true,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> FileSurvey {
        let configuration = try configuration(of: name)
        let ciphers = try configuration.checkedCiphers(for: name)
        let migrator = try configuration.migrator(for: name)
        let wanted = try configuration.checkedPath(for: name)
        guard try FileStatus.at(FileSystem.directory(of: wanted)) != nil else {
            throw StrongroomError(.fileMissing, "There is no file at \"\(wanted)\".", database: name.fileName)
        }
        var file = DatabaseFile(
            path: try FileSystem.resolve(wanted), name: name.fileName, busyTimeout: 5_000, log: nil, isReadOnly: true)
        let chain = try await configuration.keyChain(for: name)
        let protection = configuration.keyProtection(for: name)
        var attempt = 0
        while true {
            attempt += 1
            file.baseline = try FileBaseline.at(file.path)
            do {
                return try await WorkMonitor.run({ progress(Int($0.done), Int($0.total)) }) { [file] monitor in
                    try FileSurveyor(
                        file: file, chain: chain, ciphers: ciphers, protection: protection, migrator: migrator,
                        countsTables: countsTables, monitor: monitor
                    ).run()
                }
            } catch let error as StrongroomError {
                // It is read without a lock where it has no log, so that another program can change it meanwhile.
                guard error.code == .fileChanged, attempt < Self.attempts else { throw error.naming(name.fileName) }
            }
        }
    }

    private static let attempts = 5
}
