import CSQLCipher

/// SQLCipher 3 accepts a page of zeros as valid, because it reads zeros past the end of a file; SQLCipher 4 does so in
/// a file with `auto_vacuum`. No encrypted page is ever written as zeros, so such a page in the file is damage. It gets
/// a nonzero byte on its way to the engine, whose authentication then refuses it like any other damaged page.
extension Connection {
    /// Makes the engine refuse pages of zeros that it reads from the database file from now on.
    func refuseZeroPages() throws {
        file.refusesZeroPages = true
        FileMethods.install(on: try engineFile(SQLITE_FCNTL_FILE_POINTER))?.pointee.refusesZeroPages = true
    }

    /// Makes it refuse those of the WAL as well, which the engine opens when it first reads the database.
    func refuseZeroPagesOfLog() throws {
        guard file.refusesZeroPages, mode != .untouched, !hasWrappedLog,
            try ownValue("PRAGMA journal_mode") == .text("wal")
        else { return }
        // A connection that has just switched to WAL mode has not opened the WAL yet.
        openFile(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(FileMethods.install)?.pointee.refusesZeroPages = true
    }

    /// Whether it refuses those of the open WAL.
    private var hasWrappedLog: Bool {
        openFile(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(FileMethods.of)?.pointee.refusesZeroPages ?? false
    }

    /// Runs work that reads every page of the file, including unused ones, some of which may never have been written
    /// and are holes in the file.
    func acceptingZeroPages<T>(_ body: () throws -> T) rethrows -> T {
        guard file.refusesZeroPages, let methods = openFile(SQLITE_FCNTL_FILE_POINTER).flatMap(FileMethods.of)
        else { return try body() }
        methods.pointee.refusesZeroPages = false
        defer { methods.pointee.refusesZeroPages = true }
        return try body()
    }
}
