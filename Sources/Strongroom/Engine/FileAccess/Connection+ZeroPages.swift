import CSQLCipher

/// SQLCipher 3 takes a page of zeros for sound, since it reads as zeros what lies behind a file's end; SQLCipher 4 does
/// so in a file with `auto_vacuum`. No encrypted page is ever written as zeros, so one that the file has is damage. It
/// gets a byte that is not zero on its way to the engine, whose authentication then refuses it as it refuses every
/// other damaged page.
extension Connection {
    /// Has the engine refuse pages of zeros that it reads from the database's file from now on.
    func refuseZeroPages() throws {
        file.refusesZeroPages = true
        FileMethods.install(on: try engineFile(SQLITE_FCNTL_FILE_POINTER))?.pointee.refusesZeroPages = true
    }

    /// Has it refuse those of the write-ahead log as well, which it opens with its first look into the database.
    func refuseZeroPagesOfLog() throws {
        guard file.refusesZeroPages, mode != .untouched, try ownValue("PRAGMA journal_mode") == .text("wal") else {
            return
        }
        // A connection that has just switched to it has not opened it yet.
        guard let log = try? engineFile(SQLITE_FCNTL_JOURNAL_POINTER) else { return }
        FileMethods.install(on: log)?.pointee.refusesZeroPages = true
    }

    /// Works through the file page by page, unused ones included: of these some have never been written, and lie there
    /// as a hole.
    func acceptingZeroPages<T>(_ body: () throws -> T) rethrows -> T {
        guard file.refusesZeroPages, let open = try? engineFile(SQLITE_FCNTL_FILE_POINTER),
            let methods = FileMethods.of(open)
        else { return try body() }
        methods.pointee.refusesZeroPages = false
        defer { methods.pointee.refusesZeroPages = true }
        return try body()
    }
}
