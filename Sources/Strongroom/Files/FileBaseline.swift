/// The state of a file when a store opened it read-only.
///
/// Another program can replace the file, which a process with the old file open does not notice. Where no locks are
/// available, another program can also change the file during a read. Each transaction therefore checks at its end that
/// the file is still the one that was opened.
struct FileBaseline {
    private let path: String
    private let status: FileStatus

    /// - Returns: Nil when there is no file.
    static func at(_ path: String) throws -> FileBaseline? {
        try FileStatus.at(path).map { FileBaseline(path: path, status: $0) }
    }

    /// Throws if the data that was read is not valid.
    ///
    /// - Parameters:
    ///   - isLocked: Whether the read held the engine's locks, so that other processes could not change the file.
    ///   - log: The status of the WAL at the start of the read; nil if there was none, or an empty one.
    ///   - database: The database's name for errors.
    /// - Throws: ``StrongroomError`` with `fileChanged`.
    func check(isLocked: Bool, log: FileStatus? = nil, _ database: String) throws {
        guard try isLocked ? isSameFile() : isUnchanged(log) else {
            throw StrongroomError(
                .fileChanged,
                """
                Another program has \(isLocked ? "replaced" : "changed") "\(path)" since the store opened it \
                read-only, so the data that was read is not valid. Close the store, open it again, and read again.
                """,
                database: database)
        }
    }

    private func isSameFile() throws -> Bool {
        try FileStatus.at(path)?.identity == status.identity
    }

    /// Whether the file is unchanged and no journal or WAL contains a change to it.
    private func isUnchanged(_ log: FileStatus?) throws -> Bool {
        guard
            let now = try FileStatus.at(path), now.identity == status.identity, now.size == status.size,
            now.modified == status.modified, now.changed == status.changed
        else { return false }
        guard try !FileSystem.hasJournal(path) else { return false }
        guard let log else { return try !FileSystem.hasWriteAheadLog(path) }
        // As root, the engine sets the owner of a WAL that it opens; that changes only the file's ctime.
        guard let now = try FileStatus.at(SideFiles(of: path).log) else { return false }
        return now.identity == log.identity && now.size == log.size && now.modified == log.modified
    }
}

extension FileSystem {
    /// Whether a database has a WAL that is not empty.
    static func hasWriteAheadLog(_ path: String) throws -> Bool {
        try requireRegular(SideFiles(of: path).log).map { $0.size > 0 } ?? false
    }

    /// Whether a database has a hot rollback journal.
    static func hasJournal(_ path: String) throws -> Bool {
        // The header of a finalized journal is zeroed.
        try firstBytesIfThere(of: SideFiles(of: path).journal, 8)?.contains { $0 != 0 } ?? false
    }
}
