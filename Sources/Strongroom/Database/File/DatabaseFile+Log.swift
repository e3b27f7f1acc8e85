import Foundation

/// The write-ahead log beside a file, checked before the engine reads it.
extension DatabaseFile {
    var sideFiles: SideFiles { SideFiles(of: path) }

    /// The path of the WAL.
    var logPath: String { sideFiles.log }

    /// Throws if the WAL is damaged and the engine would rebuild the WAL index for a connection, which silently drops
    /// committed transactions after the damage.
    ///
    /// - Parameter connection: A connection that has not read anything yet.
    /// - Throws: ``StrongroomError`` with `damagedLog`; nothing has been written then.
    func checkLog(before connection: Connection) throws {
        guard let status = try FileStatus.at(logPath), status.isRegularFile, status.size > LogHeader.length else {
            return
        }
        // Checking for a WAL index would create one if there is none.
        let hasIndex = try FileStatus.at(sideFiles.index) != nil
        guard !hasIndex || !connection.isLogInUse else { return }
        guard let scan = try scanLog(connection.databaseFile()), let damage = scan.damage else { return }
        throw damagedLog(damage, kept: scan.soundCommits)
    }

    /// Scans the WAL; a WAL that seems damaged is scanned again until two scans agree, because another program may be
    /// writing or restarting it.
    ///
    /// - Parameter database: The database file.
    /// - Returns: Nil if there is no WAL, or it is being written.
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

    /// The maximum number of scans.
    private static let scans = 5
    /// Seconds between two scans.
    private static let pause = 0.01

    /// The error for a damaged WAL.
    ///
    /// - Parameter kept: The number of transactions before the damage.
    func damagedLog(_ damage: LogScan.Damage, kept: Int) -> StrongroomError {
        let place = damage.frame == 0 ? "in its header" : "at frame \(damage.frame)"
        let commits = damage.commits.counting("committed transaction")
        return StrongroomError(
            .damagedLog,
            """
            The write-ahead log "\(logPath)" is damaged \(place): SQLCipher would not read beyond that, and \(commits) \
            from there on would be lost. Nothing was changed. Restore the file with its log from a backup or from a \
            copy of the disk; or discard these transactions with `recoverLog` (`strongroom recover`), which keeps the \
            \(kept) before them, and the damaged log under another name.
            """,
            database: name)
    }
}
