import Foundation

/// The write-ahead log beside a file, looked at before the engine takes from it what it finds.
extension DatabaseFile {
    /// Where the log lies.
    var logPath: String { path + "-wal" }

    /// Throws when the log is damaged and the engine would read it anew for a connection, and so take committed
    /// transactions back without a word.
    ///
    /// - Parameter connection: One that has not read anything yet.
    /// - Throws: ``StrongroomError`` with `damagedLog`; nothing has been written then.
    func checkLog(before connection: Connection) throws {
        guard let status = try FileStatus.at(logPath), status.isRegularFile, status.size > LogHeader.length else {
            return
        }
        // To look into an index makes one where there is none.
        let hasIndex = try FileStatus.at(path + "-shm") != nil
        guard !hasIndex || !connection.isLogInUse else { return }
        guard let scan = try scanLog(connection.databaseFile()), let damage = scan.damage else { return }
        throw damagedLog(damage, kept: scan.soundCommits)
    }

    /// Reads the log; the same twice when it seems damaged, since another program may write it, or begin it anew.
    ///
    /// - Parameter database: The file.
    /// - Returns: Nil when there is no log, or it is being written.
    func scanLog(_ database: any FileBytes) throws -> LogScan? {
        var former: LogScan?
        for _ in 0..<Self.scans {
            guard try FileStatus.at(logPath)?.isRegularFile == true else { return nil }
            let scan: LogScan
            do {
                scan = try LogScan(PlainFile(logPath, followsLinks: false), of: database)
            } catch let error as StrongroomError where error.code == .fileMissing {
                return nil
            }
            guard scan.damage != nil, scan != former else { return scan }
            former = scan
            Thread.sleep(forTimeInterval: Self.pause)
        }
        return nil
    }

    /// Times that a log is read at most.
    private static let scans = 5
    /// Seconds between two.
    private static let pause = 0.01

    /// The error for a log that is damaged.
    ///
    /// - Parameter kept: The transactions before the damage.
    func damagedLog(_ damage: LogScan.Damage, kept: Int) -> StrongroomError {
        let place = damage.frame == 0 ? "in its header" : "at frame \(damage.frame)"
        let commits = damage.commits == 1 ? "1 committed transaction" : "\(damage.commits) committed transactions"
        return StrongroomError(
            .damagedLog,
            """
            The write-ahead log "\(logPath)" is damaged \(place): SQLCipher would read no further, and \(commits) from \
            there on would be gone. Nothing was changed. Restore the file with its log from a backup or from a copy of \
            the disk; or give these transactions up with `recoverLog` (`strongroom recover`), which keeps the \(kept) \
            before them, and the damaged log under another name.
            """,
            database: name)
    }
}
