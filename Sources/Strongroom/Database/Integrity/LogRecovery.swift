/// What ``Stores/recoverLog(_:dryRun:)`` found in a write-ahead log, and what it did.
public struct LogRecovery: Sendable, Hashable {
    /// Where the log lies.
    public let path: String
    /// The frame at which the log is damaged, counted from 1; 0 for its header; nil when it is not damaged, so that
    /// nothing was to be done.
    public let damagedFrame: Int?
    /// The committed transactions in the log that are kept: those before the damage.
    public let commitsKept: Int
    /// The committed transactions that are given up. Of the last one it cannot be told whether it was complete.
    public let commitsLost: Int
    /// Where the damaged log lies now; nil when nothing was done.
    public internal(set) var damagedLog: String?

    /// Whether the log is, or was, damaged.
    public var isDamaged: Bool { damagedFrame != nil }

    init(path: String, _ scan: LogScan?) {
        self.path = path
        damagedFrame = scan?.damage?.frame
        commitsKept = scan?.soundCommits ?? 0
        commitsLost = scan?.damage?.commits ?? 0
    }
}

extension LogRecovery: CustomStringConvertible {
    /// For people, such as "damaged at frame 12: 11 transactions before it, 3 from there on".
    public var description: String {
        guard let damagedFrame else { return "the log is not damaged" }
        let place = damagedFrame == 0 ? "damaged in its header" : "damaged at frame \(damagedFrame)"
        return "\(place): \(commitsKept) transactions before it, \(commitsLost) from there on"
    }
}

extension DatabaseFile {
    /// Cuts a damaged log off behind its last sound transaction, and keeps it as it was under another name. The lock
    /// between processes is held, and this process has no connection to the file.
    ///
    /// - Parameter dryRun: Whether nothing is changed.
    /// - Throws: ``StrongroomError`` with `locked` when another program has the file open, or the file system's
    ///   failure; the log is as it was then.
    func recoverLog(dryRun: Bool) throws -> LogRecovery {
        let connection = try Connection(path: path, mode: .existing, database: name)
        defer { connection.close() }
        guard !connection.isReadOnly else { throw notPermitted("can be read but not written") }
        let scan = try scanLog(connection.databaseFile())
        var recovery = LogRecovery(path: logPath, scan)
        guard let scan, scan.damage != nil, !dryRun else { return recovery }
        guard !connection.isLogInUse, try FileHolders.locking(path).isEmpty else {
            throw heldByOthers(for: "recovered")
        }
        recovery.damagedLog = try keepLog()
        let log = try PlainFile(logPath, isWritable: true, followsLinks: false)
        // With one change of its length: a crash leaves the damaged log or the sound one.
        try log.truncate(to: scan.soundLength)
        try log.synchronize()
        return recovery
    }

    /// Copies the log.
    ///
    /// - Returns: Where the copy lies, which is on the disk.
    private func keepLog() throws -> String {
        let unfinished = FileSystem.companion(of: path, "log.new")
        try FileSystem.remove(unfinished)
        do {
            let kept = try PlainFile(making: unfinished)
            try PlainFile.copy(logPath, to: kept, followsLinks: false)
            try kept.synchronize()
            let place = try freePlace()
            try kept.moveIntoPlace(place)
            try FileSystem.synchronize(FileSystem.directory(of: path))
            return place
        } catch {
            try FileSystem.remove(unfinished)
            throw error
        }
    }

    private func freePlace() throws -> String {
        let wanted = "\(logPath).damaged"
        var place = wanted
        var number = 1
        while try FileStatus.at(place) != nil || FileSystem.isSymbolicLink(place) {
            number += 1
            place = "\(wanted)-\(number)"
        }
        return place
    }
}
