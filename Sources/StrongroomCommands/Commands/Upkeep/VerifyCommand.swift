import ArgumentParser
import Strongroom

/// `verify`: checks whole databases.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks every page of databases, and whether tables and indexes fit together.",
        discussion: """
            Others may read meanwhile; writes wait. Damage is exit code 1. To look at a file that does not open, see \
            doctor.

            With --report and --resume a run that was interrupted is resumed: what the report says is whole is \
            skipped.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @Flag(help: "Go on with the report: add to it, and skip what it says is whole.")
    var resume = false
    @OptionGroup var output: OutputOptions

    private static let advice = """
        Restore it from a backup, look at it with `doctor`, or copy what can still be read with `salvage`.
        """

    func validate() throws {
        guard !resume || family.report != nil else { throw ValidationError("--resume goes with --report FILE.") }
    }

    func run() async throws {
        let finished = resume ? family.report.map { ReportFile.finished("verify", in: FilePath.absolute($0)) } : nil
        let command = FamilyCommand<VerificationDetail>(
            name: "verify", label: "Verifying", databases: try databases.resolve(), options: family, output: output,
            unit: .count, isContinuing: resume)
        try await command.run { database, progress in
            guard finished?.contains(database.path) != true else {
                return .init(.skipped, "whole, says the report")
            }
            let report = try await database.readOnlyIfItMust().using { store in
                try await store.verify { progress.update(to: $0.done, of: $0.total) }
            }
            let detail = VerificationDetail(report)
            guard !report.isWhole else { return .init(.done, report.words, detail) }
            var result = FamilyRun<VerificationDetail>.Result(.failed, report.words, detail, exitStatus: .failure)
            result.failure = .init(
                code: "damaged",
                message: "\(report.words): \(detail.shortDamage). \(Self.advice)")
            return result
        }
    }
}
