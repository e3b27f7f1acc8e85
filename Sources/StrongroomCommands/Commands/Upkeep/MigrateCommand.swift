import ArgumentParser
import Strongroom

/// `migrate`: brings schemas to another version.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the schemas of databases to their configuration's newest version, or to another.",
        discussion: """
            Each step is one transaction; a file that is at the version already is skipped, so a run that was \
            interrupted is resumed by the same command. A version that is older than the file's is gone back to \
            by the migrations' `down`s.

            With --dry-run a copy of each file is migrated and thrown away, and what would change is told.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @Option(help: ArgumentHelp("The version that the files are to have (default: the newest).", valueName: "version"))
    var to: String?
    @Flag(help: "Migrate a copy, tell what happens to it, and throw it away.")
    var dryRun = false
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try databases.resolve()
        if let stranger = found.first(where: { !$0.isConfigured && $0.obstacle == nil }) {
            throw CommandFailure(
                "noConfiguration",
                """
                Nobody knows the schema of "\(stranger.path)": give the name of its configuration, too, and its path \
                with --path.
                """,
                .configuration)
        }
        let (version, isTrial) = (to, dryRun)
        let command = FamilyCommand<MigrationDetail>(
            name: isTrial ? "migrate --dry-run" : "migrate", label: isTrial ? "Trying" : "Migrating", databases: found,
            options: family, output: output, unit: .count)
        try await command.run { database, progress in
            try await database.using { store in
                let plan = try await store.migrationPlan(to: version)
                guard !plan.isEmpty else { return .init(.skipped, "at version \(plan.to) already") }
                let tell: @Sendable (WorkProgress) -> Void = { progress.tell($0) }
                if isTrial {
                    let trial = try await store.dryRun(to: version, progress: tell)
                    return .init(.done, "would go \(plan.way)", MigrationDetail(trial))
                }
                let report = try await store.migrate(to: version, progress: tell)
                return .init(.done, plan.way, MigrationDetail(report))
            }
        }
    }
}

extension CommandProgress {
    /// Counts the steps, or what the running one tells of itself.
    fileprivate func tell(_ migration: WorkProgress) {
        if migration.total == 0, let step = migration.step { return update(to: step.number - 1, of: step.count) }
        update(to: migration.done, of: migration.total)
    }
}

extension MigrationPlan {
    /// For people, such as `from version 1 to 3`.
    var way: String {
        let changes = schemaChanges.isEmpty ? "" : ": \(schemaChanges.joined(separator: "; "))"
        guard let from else { return "to version \(to)\(changes)" }
        return (undoes.isEmpty ? "" : "back ") + "from version \(from) to \(to)\(changes)"
    }
}
