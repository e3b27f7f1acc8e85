import ArgumentParser
import Strongroom

/// `verify`: verifies complete databases.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies every page of databases, and the consistency of tables and indexes.",
        discussion: """
            Other processes can read and write meanwhile; writes wait only while full-text indexes are compared with \
            their tables. Damage is exit code 1. For a file that does not open, see doctor.

            The engine's integrity check looks up each row in each index, which can take many times as long as \
            reading all pages; --pages-only leaves it out.

            --report with --resume resumes an interrupted run: databases that the report lists as intact are skipped.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @Flag(help: "Check only the authentication code of every page.")
    var pagesOnly = false
    @Flag(help: "Resume the report: append to it, and skip the databases that it lists as intact.")
    var resume = false
    @OptionGroup var output: OutputOptions

    private static let advice = """
        Restore it from a backup, diagnose it with `doctor`, or copy the readable rows with `salvage`; create a \
        full-text index anew with `reindex`.
        """

    func validate() throws {
        guard !resume || family.report != nil else { throw ValidationError("--resume goes with --report FILE.") }
    }

    func run() async throws {
        // The name in the report: a database of which only the pages were checked is not verified.
        let names = pagesOnly ? ["verify --pages-only", "verify"] : ["verify"]
        let finished =
            resume
            ? family.report.map { report in
                names.reduce(into: Set<String>()) {
                    $0.formUnion(ReportFile.finished($1, in: FilePath.absolute(report)))
                }
            } : nil
        let command = FamilyCommand<VerificationDetail>(
            name: names[0], label: "Verifying", databases: try databases.resolve(), options: family, output: output,
            unit: .count, isContinuing: resume)
        try await command.run { database, progress in
            guard finished?.contains(database.path) != true else {
                return .init(.skipped, "intact according to the report")
            }
            let report = try await database.readOnlyIfItMust().using { store in
                try await store.verify(checkingStructure: !pagesOnly) { progress.update(to: $0.done, of: $0.total) }
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
