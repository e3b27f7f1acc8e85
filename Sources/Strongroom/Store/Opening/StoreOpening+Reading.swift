extension StoreOpening {
    /// Opens the file read-only, as it is.
    ///
    /// - Throws: ``StrongroomError`` with `fileMissing`; as opening has it.
    mutating func runToRead() async throws -> (writer: Connection, key: FileKey, report: OpenReport) {
        let start = ContinuousClock.now
        try file.requireOwnCompanions()
        let lock = try await lockToRead()
        try noteFile()
        let content = try FileContent.of(path)
        guard content != .absent else { throw DatabaseFile.missing(path, name.fileName) }
        let chain = try await keyChain()
        let opened = try await BlockingWork.run { [self] in try read(chain, content, since: start) }
        lock?.release()
        return opened
    }

    private func read(
        _ chain: KeyChain, _ content: FileContent, since start: ContinuousClock.Instant
    ) throws -> (Connection, FileKey, OpenReport) {
        var report = Progress(start: start)
        let (keys, choice) = try chooseExisting(chain, content)
        report.keyDuration = ContinuousClock.now - start
        do {
            // A file of a newer program is refused; an older one is read as it is.
            if let plan = try migrator?.plan(for: choice.connection) { warn(of: plan) }
            try choice.connection.configure(as: .reader, of: file)
            return (choice.connection, keys.key(choice), report.finished(choice, chain))
        } catch let error as StrongroomError {
            throw error.diagnosed(file, key: choice.place, of: chain.count, choice.derived?.settings)
        }
    }

    /// The lock between processes, if there is one and it can be taken: without it the file might be replaced while it
    /// is opened.
    func lockToRead() async throws -> FileLock? {
        let path = FileSystem.companion(of: path, "lock")
        guard try FileStatus.at(path) != nil, FileSystem.mayWrite(path) else { return nil }
        return try await takeLock()
    }
}

extension DatabaseFile {
    /// The error for a file that is not there.
    static func missing(_ path: String, _ database: String) -> StrongroomError {
        StrongroomError(
            .fileMissing,
            "There is no file at \"\(path)\", and one that is opened read-only is not made. Check the path.",
            database: database)
    }
}
