import ArgumentParser
import Strongroom

/// `recover`: recovers a database whose write-ahead log is damaged.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Tells what a damaged write-ahead log has lost, and gives up what lies behind the damage.",
        discussion: """
            A database whose log (NAME-wal) is damaged does not open: the transactions behind the damage would be gone \
            without a word. Without --to-last-sound-commit nothing is changed, and the exit code is 65 when the log is \
            damaged. With it the log is cut off behind its last transaction before the damage, and kept as it was as \
            NAME-wal.damaged. The database must not be open anywhere.
            """
    )

    @OptionGroup var database: OneDatabase
    @Flag(help: "Give up every transaction behind the damage.")
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
                The database opens again. The damaged log lies at "\(damagedLog)"; remove it when it is not \
                needed any more.
                """
            } else {
                """
                Nothing was changed. Restore file and log from a backup or from a copy of the disk, or give up what \
                lies behind the damage with --to-last-sound-commit.
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
