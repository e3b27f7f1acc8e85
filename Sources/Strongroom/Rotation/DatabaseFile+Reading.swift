/// A file that is read alone, and left as it is.
extension DatabaseFile {
    /// The ways to open the file; the first that works is the best.
    func modesOfReading() throws -> [Connection.Mode] {
        // Closing one that can write brings a log into the file.
        if try FileStatus.at(path + "-wal").map({ $0.size > 0 }) ?? false { return [.readOnly] }
        // One that cannot write leaves an empty log behind, and cannot undo what a journal tells of.
        if mayBeWritten { return [.existing] }
        // Of a file in write-ahead mode the engine needs an index beside it, also to read.
        return try hasJournal() ? [.readOnly] : [.readOnly, .untouched]
    }

    /// Whether the process may change the file, and make others beside it.
    var mayBeWritten: Bool { FileSystem.mayWrite(path) && FileSystem.mayWrite(FileSystem.directory(of: path)) }

    /// Whether a rollback journal lies beside the file that has not been used up.
    func hasJournal() throws -> Bool {
        try FileSystem.firstBytesIfThere(of: path + "-journal", 8)?.contains { $0 != 0 } ?? false
    }

    /// The error for a log without which the file cannot be read.
    func unreadableLog(_ resultCode: ResultCode?) -> StrongroomError {
        StrongroomError(
            .permissionDenied,
            """
            Beside «\(path)» lies a log that belongs to it, «\(path)-wal» or «\(path)-journal», and where they lie it cannot be read without being \
            written. Copy both to a directory that may be written, and open the copy; or let a program that may write there open and close it.
            """,
            database: name,
            resultCode: resultCode)
    }

    /// Whether any of the first pages is authentic by a key.
    func isAuthentic(_ key: DerivedKey) throws -> Bool {
        let connection = try connect(.untouched, key: nil)
        defer { connection.close() }
        return try PageCipher(key, settings: key.settings).fits(connection.databaseFile())
    }
}
