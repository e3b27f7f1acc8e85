/// The result of ``Stores/recoverLog(_:dryRun:)``: the state of a write-ahead log, and what was changed.
public struct LogRecovery: Sendable, Hashable {
    /// The path of the WAL.
    public let path: String
    /// The frame at which the WAL is damaged, counted from 1; 0 for its header; nil if it is not damaged, so that
    /// nothing had to be done.
    public let damagedFrame: Int?
    /// The committed transactions that are kept: those before the damage.
    public let commitsKept: Int
    /// The committed transactions that are dropped. Whether the last one was complete is unknown.
    public let commitsLost: Int
    /// The path of the damaged WAL now; nil if nothing was done.
    public internal(set) var damagedLog: String?

    /// Whether the WAL is, or was, damaged.
    public var isDamaged: Bool { damagedFrame != nil }

    init(path: String, _ scan: LogScan?) {
        self.path = path
        damagedFrame = scan?.damage?.frame
        commitsKept = scan?.soundCommits ?? 0
        commitsLost = scan?.damage?.commits ?? 0
    }
}

extension LogRecovery: CustomStringConvertible {
    /// A description for people, such as "damaged at frame 12: 11 transactions before it, 3 from there on".
    public var description: String {
        guard let damagedFrame else { return "the log is not damaged" }
        let location = damagedFrame == 0 ? "damaged in its header" : "damaged at frame \(damagedFrame)"
        return "\(location): \(commitsKept.counting("transaction")) before it, \(commitsLost) from there on"
    }
}

extension DatabaseFile {
    /// Truncates a damaged WAL after its last intact transaction, and keeps a copy of the damaged one under another
    /// name. The lock between processes is held, and this process has no connection to the file.
    func recoverLog(dryRun: Bool) throws -> LogRecovery {
        guard !dryRun else { return LogRecovery(path: logPath, try scanLog(PlainFile(path))) }
        let connection = try Connection(path: path, mode: .existing, database: name)
        defer { connection.close() }
        guard !connection.isReadOnly else { throw notPermitted("can be read but not written") }
        let scan = try scanLog(connection.databaseFile())
        var recovery = LogRecovery(path: logPath, scan)
        guard let scan, scan.damage != nil else { return recovery }
        guard !connection.isLogInUse, try FileHolders.locking(path).isEmpty else {
            throw heldByOthers(for: "recovered")
        }
        recovery.damagedLog = try keepLog()
        let log = try PlainFile(logPath, isWritable: true, followsLinks: false)
        // One change of length is atomic: a crash leaves the damaged WAL or the truncated one.
        try log.truncate(to: scan.soundLength)
        try log.synchronize()
        return recovery
    }

    /// Copies the WAL.
    ///
    /// - Returns: The path of the copy, which is synchronized to disk.
    private func keepLog() throws -> String {
        let unfinished = FileSystem.hiddenFile(of: path, "log.new")
        try FileSystem.remove(unfinished)
        do {
            let copy = try PlainFile(creating: unfinished)
            try PlainFile.copy(logPath, to: copy, followsLinks: false)
            try copy.synchronize()
            let unused = try unusedPath()
            try copy.moveIntoPlace(unused)
            try FileSystem.synchronize(FileSystem.directory(of: path))
            return unused
        } catch {
            try FileSystem.remove(unfinished)
            throw error
        }
    }

    private func unusedPath() throws -> String {
        var (unused, number) = (sideFiles.damagedLog, 1)
        while try FileStatus.ofName(unused) != nil {
            number += 1
            unused = "\(sideFiles.damagedLog)-\(number)"
        }
        return unused
    }
}
