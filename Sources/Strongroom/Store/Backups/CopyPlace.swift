import Foundation

/// The place at which a copy of a database is to appear when it is complete.
struct CopyPlace: Sendable {
    /// With every symbolic link followed.
    let path: String
    let replaces: Bool

    /// Makes the directories that are missing.
    init(_ path: String, replaces: Bool) throws {
        try FileSystem.createDirectories(FileSystem.directory(of: path))
        self.path = try FileSystem.resolve(path)
        self.replaces = replaces
    }

    /// Where the copy is made.
    var temporary: String { FileSystem.companion(of: path, "new") }

    /// Looks at what lies there.
    ///
    /// - Parameter source: The path of the database that is copied.
    func check(besides source: String) throws {
        let status = try FileStatus.at(path)
        if let status, !replaces || !status.isRegularFile {
            let advice =
                status.isRegularFile ? "Give another path, or say that it is to be replaced." : "Give another path."
            throw StrongroomError(
                .notAFile, "Something lies at \"\(path)\" already, and is not overwritten. \(advice)")
        }
        if let status, status.identity == (try FileStatus.at(source)?.identity) {
            throw StrongroomError(.sameFile, "\"\(path)\" is the database itself. Give another path.")
        }
        // The engine would play it into the new file.
        for ending in ["-wal", "-journal"] where try (FileStatus.at(path + ending)?.size ?? 0) > 0 {
            throw StrongroomError(
                .locked,
                """
                Beside "\(path)" lies the log of a database, "\(path)\(ending)": it is in use, or was cut off. Give \
                another path.
                """
            )
        }
        try requireUnused()
        // With it the copy's own key would be passed over.
        guard try !EnvelopeFile(databasePath: path, name: FileSystem.name(of: path)).exists() else {
            throw StrongroomError(
                .notAFile, "Beside \"\(path)\" lies the envelope of another database. Give another path.")
        }
    }

    /// Throws when another process has open what is replaced: it would go on with a file that has no name any more.
    private func requireUnused() throws {
        guard replaces else { return }
        let holders = try FileHolders.lasting { try FileHolders.using(path) }
        guard !holders.isEmpty else { return }
        throw StrongroomError(
            .locked,
            """
            "\(path)" is open in \(FileHolders.describe(holders)), so it was not replaced. Close it there, then try \
            again, or give another path.
            """)
    }

    /// Keeps others from making a copy at the same place.
    func takeLock() async throws -> FileLock {
        guard let lock = try await FileLock.acquire(FileSystem.companion(of: path, "lock"), of: path) else {
            throw StrongroomError(
                .locked,
                """
                Somebody opens "\(path)", or makes a copy there, at this moment. Wait for them, or give another path.
                """)
        }
        return lock
    }

    /// Puts the finished copy in its place, atomically.
    func put(_ copy: PlainFile) throws {
        if replaces {
            try replace(by: copy)
        } else {
            try copy.moveIntoPlace(path)
            try FileSystem.settle(path)
        }
    }

    private func replace(by copy: PlainFile) throws {
        try requireUnused()
        let former = try ReplacedFile.at(path)
        // One that copies it, of whatever user, has no lock and is to get it whole.
        guard try former.map({ try $0.lock() && !$0.isOpenElsewhere }) ?? true else {
            throw StrongroomError(
                .locked,
                """
                Another program has "\(path)" open, so it was not replaced. Close it there, then try again, or give \
                another path.
                """)
        }
        try copy.replace(path)
        do {
            try FileSystem.settle(path)
            try former?.spoil()
        } catch {
            former?.retireAfterFailure()
            throw error
        }
        try former?.retire()
    }
}
