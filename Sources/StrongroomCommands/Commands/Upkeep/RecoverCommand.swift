import ArgumentParser
import Strongroom

/// `recover`: recovers a database whose write-ahead log is damaged.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Reports what a damaged write-ahead log has lost, and truncates the log before the damage.",
        discussion: """
            A database whose log (NAME-wal) is damaged is not opened: the transactions after the damage would be lost \
            silently. Without --to-last-sound-commit nothing is changed, and the exit code is 65 if the log is \
            damaged. With it the log is truncated after the last transaction before the damage, and the original is \
            kept as NAME-wal.damaged. The database must not be open in any process.
            """
    )

    @OptionGroup var database: OneDatabase
    @Flag(help: "Discard every transaction after the damage.")
    var toLastSoundCommit = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let recovery = try await database.resolve().recoverLog(dryRun: !toLastSoundCommit)
        if output.json { try output.write(RecoveryDetail(recovery)) } else { show(recovery) }
        guard recovery.isDamaged, recovery.damagedLog == nil else { return }
        // The report has been printed.
        throw CommandFailure("damagedLog", "", .dataError)
    }

    private func show(_ recovery: LogRecovery) {
        let console = CommandSession.current.console
        console.write("\(recovery.path, .bold): \(recovery.description, recovery.isDamaged ? [.bold, .red] : .green)")
        guard recovery.isDamaged else { return }
        let next =
            if let damagedLog = recovery.damagedLog {
                """
                The database can be opened again. The damaged log is kept at "\(damagedLog)"; remove it when it \
                is no longer needed.
                """
            } else {
                """
                Nothing was changed. Restore file and log from a backup or from a copy of the disk, or discard the \
                transactions after the damage with --to-last-sound-commit.
                """
            }
        console.write(lead: "\("Next:", .bold) ", paragraph: next, indent: 0)
    }
}

/// The result of `recover`, for JSON.
private struct RecoveryDetail: Encodable {
    let path: String
    let damaged: Bool
    let damagedFrame: Int?
    let commitsKept: Int
    let commitsLost: Int
    let damagedLog: String?

    init(_ recovery: LogRecovery) {
        path = recovery.path
        damaged = recovery.isDamaged
        damagedFrame = recovery.damagedFrame
        commitsKept = recovery.commitsKept
        commitsLost = recovery.commitsLost
        damagedLog = recovery.damagedLog
    }
}

extension OperatedDatabase {
    /// Checks the log for damage, and discards everything after it unless `dryRun` is set.
    fileprivate func recoverLog(dryRun: Bool) async throws -> LogRecovery {
        try await Stores(answering: name.target, with: configuration).recoverLog(name.fileName, dryRun: dryRun)
    }
}
