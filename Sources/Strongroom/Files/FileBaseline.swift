/// A file as it was when a store opened it read-only.
///
/// Another program can put a new file in its place, which nobody notices who has the old one open; and where no lock
/// can be had, it can change what is being read. So the end of each transaction looks whether the file is still the one
/// that was opened.
struct FileBaseline {
    private let path: String
    private let status: FileStatus

    /// - Returns: Nil when there is no file.
    static func at(_ path: String) throws -> FileBaseline? {
        try FileStatus.at(path).map { FileBaseline(path: path, status: $0) }
    }

    /// Throws when what has been read does not count.
    ///
    /// - Parameters:
    ///   - isLocked: Whether it was read with the engine's locks, so that others could not change it meanwhile.
    ///   - log: The log as it was when the reading began; nil when there was none with content.
    ///   - database: The name that errors give.
    /// - Throws: ``StrongroomError`` with `fileChanged`.
    func check(isLocked: Bool, log: FileStatus? = nil, _ database: String) throws {
        guard try isLocked ? isSameFile() : isUnchanged(log) else {
            throw StrongroomError(
                .fileChanged,
                """
                Another program has \(isLocked ? "put another file in the place of" : "changed") "\(path)" since the \
                store opened it read-only, so what was read does not count. Close the store, open it again, and \
                read again.
                """,
                database: database)
        }
    }

    private func isSameFile() throws -> Bool {
        try FileStatus.at(path)?.identity == status.identity
    }

    /// Whether neither the file has been changed nor a log says that it is.
    private func isUnchanged(_ log: FileStatus?) throws -> Bool {
        guard
            let now = try FileStatus.at(path), now.identity == status.identity, now.size == status.size,
            now.modified == status.modified, now.changed == status.changed
        else { return false }
        guard try !FileSystem.hasJournal(path) else { return false }
        guard let log else { return try !FileSystem.hasWriteAheadLog(path) }
        // As root the engine sets the owner of a WAL that it opens, which changes no byte but the file's third time.
        guard let now = try FileStatus.at(path + "-wal") else { return false }
        return now.identity == log.identity && now.size == log.size && now.modified == log.modified
    }
}

extension FileSystem {
    /// Whether a write-ahead log with content lies beside a database.
    static func hasWriteAheadLog(_ path: String) throws -> Bool {
        try requireRegular(path + "-wal").map { $0.size > 0 } ?? false
    }

    /// Whether a rollback journal lies beside a database that has not been used up.
    static func hasJournal(_ path: String) throws -> Bool {
        // A spent one begins with zeros.
        try firstBytesIfThere(of: path + "-journal", 8)?.contains { $0 != 0 } ?? false
    }
}
