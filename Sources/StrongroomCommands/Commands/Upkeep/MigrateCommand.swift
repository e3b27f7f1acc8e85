import ArgumentParser
import Strongroom

/// `migrate`: migrates schemas to another version.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrates the schemas of databases to their configuration's newest version, or to another.",
        discussion: """
            Each step is one transaction; files that are already at the version are skipped, so the same command \
            resumes an interrupted run. A downgrade to an older version runs the migrations' `down`s.

            With --dry-run a copy of each file is migrated and discarded, and the changes are reported.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @Option(help: ArgumentHelp("The target version (default: the newest).", valueName: "version"))
    var to: String?
    @Flag(help: "Migrate a copy, report the changes, and discard it.")
    var dryRun = false
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try databases.resolve()
        if let unconfigured = found.first(where: { !$0.isConfigured && $0.obstacle == nil }) {
            throw CommandFailure(
                "noConfiguration",
                """
                The schema of "\(unconfigured.path)" is unknown: give the name of its configuration, and its path with \
                --path.
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
                guard !plan.isEmpty else { return .init(.skipped, "already at version \(plan.to)") }
                let update: @Sendable (WorkProgress) -> Void = { progress.showMigration($0) }
                if isTrial {
                    let trial = try await store.dryRun(to: version, progress: update)
                    return .init(.done, "would go \(plan.way)", MigrationDetail(trial))
                }
                let report = try await store.migrate(to: version, progress: update)
                return .init(.done, plan.way, MigrationDetail(report))
            }
        }
    }
}

extension CommandProgress {
    /// Updates the progress by steps, or by the report of the current step.
    fileprivate func showMigration(_ migration: WorkProgress) {
        if migration.total == 0, let step = migration.step { return update(to: step.number - 1, of: step.count) }
        update(to: migration.done, of: migration.total)
    }
}

extension MigrationPlan {
    /// A description such as `from version 1 to 3`.
    var way: String {
        let changes = schemaChanges.isEmpty ? "" : ": \(schemaChanges.joined(separator: "; "))"
        guard let from else { return "to version \(to)\(changes)" }
        return (undoes.isEmpty ? "" : "back ") + "from version \(from) to \(to)\(changes)"
    }
}
