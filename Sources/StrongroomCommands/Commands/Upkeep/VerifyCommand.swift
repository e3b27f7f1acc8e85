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

            --report with --resume resumes an interrupted run: databases that the report lists as intact are \
            skipped, with --max-age only if that is not longer ago.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @Flag(help: "Check only the authentication code of every page.")
    var pagesOnly = false
    @OptionGroup var output: OutputOptions

    private static let advice = """
        Restore it from a backup, diagnose it with `doctor`, or copy the readable rows with `salvage`; rebuild a \
        full-text index with `reindex`.
        """
    private static let adviceForSchema = """
        Restore it from a backup: a page of the schema is damaged, without which `salvage` may find no table. `doctor` \
        names every damaged page.
        """

    func run() async throws {
        // The name in the report: a database of which only the pages were checked is not verified.
        let command = FamilyCommand<VerificationDetail>(
            name: pagesOnly ? "verify --pages-only" : "verify", label: "Verifying", databases: try databases.resolve(),
            options: family, output: output, unit: .count, stronger: pagesOnly ? ["verify"] : [],
            weaker: pagesOnly ? [] : ["verify --pages-only"],
            isStillDone: { database, _ in try Stores.hasFile(at: database.path) })
        try await command.run { database, progress in
            let report: VerificationReport
            do {
                report = try await database.readOnlyIfItMust().using { store in
                    try await store.verify(checkingStructure: !pagesOnly) { progress.update(to: $0.done, of: $0.total) }
                }
            } catch let error as StrongroomError where error.code == .damaged {
                return try await Self.damage(database, error)
            }
            let detail = VerificationDetail(report)
            guard !report.isIntact else { return .init(.done, report.summary, detail) }
            var result = FamilyRun<VerificationDetail>.Result(.failed, report.summary, detail, exitStatus: .failure)
            let advice = report.damagedPages.hasSchema ? Self.adviceForSchema : Self.advice
            result.failure = .init(code: "damaged", message: "\(report.summary): \(detail.shortDamage). \(advice)")
            return result
        }
    }

    /// The result for a database that is too damaged to be opened: its bytes say what is damaged.
    private static func damage(
        _ database: OperatedDatabase, _ error: StrongroomError
    ) async throws -> FamilyRun<VerificationDetail>.Result {
        let diagnosis = try await database.diagnose()
        let pages = diagnosis.damagedPages.prefix(VerificationDetail.most).map(\.description).joined(separator: "; ")
        let count = HumanReadable.count(diagnosis.damagedPages.count, "damaged page")
        let advice = diagnosis.isSchemaDamaged ? adviceForSchema : Self.advice
        var result = FamilyRun<VerificationDetail>.Result(.failed, "damaged", exitStatus: .failure)
        result.failure = .init(
            code: "damaged",
            message: pages.isEmpty ? error.message : "The file does not open; \(count): \(pages). \(advice)")
        return result
    }
}
