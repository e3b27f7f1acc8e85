/// What an opening finds at the path of a database.
struct FoundFile {
    let content: FileContent
    /// The library's files beside it: ``SideFiles/libraryEndings``. The lock between processes is held, so that only
    /// this opening creates and removes the leftovers among them.
    var companions: Set<String> = []
}

/// The steps that locate and inspect the file.
extension StoreOpening {
    /// Resolves the path, and creates the directory.
    mutating func locateFile() throws {
        context = try context.located()
    }

    /// Prevents this process from opening the file a second time.
    func claimFile() throws {
        guard !context.isInMemory else { return }
        try OpenFiles.shared.claim(context.path, context.name)
    }

    /// Prevents other processes from opening it.
    func acquireLock() async throws -> FileLock? {
        guard !context.isInMemory else { return nil }
        // No file is created beside a file that is opened read-only; its lock file is only used if it exists.
        if context.isReadOnly { try context.file.requireOwnCompanions() }
        return try await context.file.lockToOpen(within: context.settings.openTimeout)
    }

    /// Determines what is at the path, from its first bytes, and which of the library's files are beside it.
    mutating func examineFile() throws -> FoundFile {
        guard !context.isInMemory else { return FoundFile(content: .absent) }
        guard context.isReadOnly else {
            let companions = try context.file.requireOwnCompanions()
            return FoundFile(content: try FileContent.of(context.path), companions: companions)
        }
        context = try context.withBaseline()
        let content = try FileContent.of(context.path)
        guard content != .absent else { throw context.file.missing }
        return FoundFile(content: content)
    }

    /// Removes files that a killed process has left next to the file.
    func removeLeftovers(_ found: FoundFile) throws {
        guard !context.isInMemory, !context.isReadOnly else { return }
        try context.file.removeLeftovers(found.companions, exists: found.content != .absent)
    }

    /// Releases the file after a failure.
    ///
    /// - Returns: The error with what is known of the file.
    func withdraw(after error: any Error) -> any Error {
        guard !context.isInMemory else { return error }
        OpenFiles.shared.release(context.path)
        return (error as? StrongroomError)?.diagnosed(context.file).namingFullDisk(of: context.path) ?? error
    }
}

extension StrongroomError {
    /// The error of an opening that found the disk full: the engine, which reports it, names no directory, and there
    /// is no change of which nothing was kept.
    fileprivate func namingFullDisk(of path: String) -> StrongroomError {
        guard code == .diskFull, resultCode != nil else { return self }
        var named = StrongroomError(
            .diskFull,
            """
            The disk of "\(FileSystem.directory(of: path))" is full, and opening "\(FileSystem.name(of: path))" needs \
            space there for its write-ahead log. Free space, then open it again.
            """,
            database: database, sql: sql, resultCode: resultCode)
        named.finding = finding
        return named
    }
}
