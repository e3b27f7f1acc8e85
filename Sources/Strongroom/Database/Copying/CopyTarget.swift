/// The destination path of a database copy, where it appears when it is complete.
struct CopyTarget: Sendable {
    /// The path with every symbolic link resolved.
    let path: String
    let replaces: Bool

    /// Creates the missing directories.
    init(_ path: String, replaces: Bool) throws {
        try FileSystem.createDirectories(FileSystem.directory(of: path))
        self.path = try FileSystem.resolve(path)
        self.replaces = replaces
    }

    var temporary: String { FileSystem.hiddenFile(of: path, "new") }

    private var envelopeFile: EnvelopeFile { EnvelopeFile(databasePath: path, name: FileSystem.name(of: path)) }

    func check(source: String, envelopeOf salt: [UInt8]? = nil) throws {
        let status = try FileStatus.at(path)
        guard status != nil || replaces || !FileSystem.isSymbolicLink(path) else {
            throw StrongroomError(
                .notAFile,
                "\"\(path)\" is a symbolic link to a file that does not exist. Use another path, or remove the link.")
        }
        if let status, !replaces || !status.isRegularFile {
            let advice =
                status.isRegularFile ? "Use another path, or allow that it is replaced." : "Use another path."
            throw StrongroomError(
                status.isRegularFile ? .exists : .notAFile,
                "\"\(path)\" already exists, and is not overwritten. \(advice)")
        }
        if let status, status.identity == (try FileStatus.at(source)?.identity) {
            throw StrongroomError(.exists, "\"\(path)\" is the database itself. Give another path.")
        }
        // The engine would apply it to the new file.
        for log in SideFiles(of: path).logs where try (FileStatus.at(log)?.size ?? 0) > 0 {
            throw StrongroomError(
                .locked,
                """
                "\(path)" has the log of a database, "\(log)": it is in use, or its program was killed. Use \
                another path.
                """
            )
        }
        try requireUnused()
        // It would take precedence over the copy's own key. Another database's may be the last of its copies.
        guard try !envelopeFile.exists() || isReplaced(envelopeOf: salt, status) else {
            throw StrongroomError(
                .exists,
                """
                The files of "\(path)" include an envelope, "\(envelopeFile.path)", that is not of an earlier backup \
                of this database with its slots. Use another path.
                """)
        }
    }

    /// Whether the envelope at the path is replaced together with an earlier backup of the same database.
    private func isReplaced(envelopeOf salt: [UInt8]?, _ status: FileStatus?) throws -> Bool {
        guard replaces, status != nil, let salt else { return false }
        return try !envelopeFile.slots(salt: salt).isEmpty
    }

    /// Throws if another process has the file to be replaced open: it would continue with an unlinked file.
    private func requireUnused() throws {
        guard replaces else { return }
        let holders = try FileHolders.lasting { try FileHolders.using(path) }
        guard !holders.isEmpty else { return }
        throw StrongroomError(
            .locked,
            """
            "\(path)" is open in \(FileHolders.describe(holders)), so it was not replaced. Close it there, then try \
            again, or use another path.
            """)
    }

    /// Throws if something is at the path.
    func requireNothing() throws {
        guard try FileStatus.at(path) != nil else { return }
        throw StrongroomError(.exists, "\"\(path)\" already exists, and is not overwritten. Use another path.")
    }

    /// Throws if a copy with a defect would replace an older one, which may have none.
    func requireNew(_ defect: String) throws {
        guard replaces, try FileStatus.at(path) != nil else { return }
        throw StrongroomError(
            .damaged,
            """
            "\(path)" was not replaced, since the database has a defect, which the new copy has, too: \(defect). \
            Repair the database (REINDEX rebuilds an index that does not match), or give another path.
            """)
    }

    func acquireLock() async throws -> FileLock {
        guard let lock = try await FileLock.acquire(SideFiles(of: path).lock, of: path) else {
            throw StrongroomError(
                .locked,
                """
                "\(path)" is being opened, or is the target of another copy. Wait until that has finished, or use \
                another path.
                """)
        }
        return lock
    }

    /// Moves the finished copy to the path, together with its envelope: whenever the process is killed, the envelope of
    /// the file at the path is beside it.
    func put(_ copy: PlainFile, with envelope: [UInt8]?) throws {
        guard let envelope else {
            try put(copy)
            // Of the previous file, whose backup was killed.
            try? envelopeFile.removeNext()
            return
        }
        try envelopeFile.publish(envelope, with: copy) { try put(copy) }
    }

    private func put(_ copy: PlainFile) throws {
        guard replaces else {
            try copy.moveIntoPlace(path)
            return try FileSystem.settle(path)
        }
        try requireUnused()
        let old = try ReplacedFile.at(path)
        // A process of any user that is copying the file holds no lock, and must get a complete copy.
        guard try old.map({ try $0.lock() && !$0.isOpenElsewhere }) ?? true else {
            throw StrongroomError(
                .locked,
                """
                Another program has "\(path)" open, so it was not replaced. Close it there, then try again, or use \
                another path.
                """)
        }
        try ReplacedFile.replace(old, at: path) { try copy.replace(path) }
    }
}
