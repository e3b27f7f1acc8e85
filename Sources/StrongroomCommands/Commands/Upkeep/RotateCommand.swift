import ArgumentParser
import Strongroom

/// `rotate`: rotates files to the newest key.
struct RotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Rotates files to the newest key of their chain.",
        discussion: """
            Files that already use the newest key are skipped, so the same command resumes an interrupted run. \
            Whenever it is interrupted, each file opens with a key of the chain, and no row is lost.

            An encrypted file without an envelope that another process has open is not rotated, unless --in-use is \
            given: the process loses access at once if its keys lack the newest one. Only Linux reports such \
            processes, and those of other users only while they have locks. A file with an envelope is not rewritten, \
            and open stores continue.

            A file with older cipher settings than its configuration specifies gets the new ones. A plaintext file is \
            encrypted if the chain of its configuration begins with Key.plaintext, and rejected otherwise: see \
            convert.

            --dry-run reports who loses access: of a file without an envelope, everybody who has only the older key; \
            of one with an envelope, the slots of the chain's older keys. Other slots and recovery keys keep it.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @Flag(help: "Rotate files, too, that other processes have open; their keys must contain the newest one.")
    var inUse = false
    @Flag(help: "Change nothing; report what would be done, and which keys and slots would lose access.")
    var dryRun = false
    @OptionGroup var output: OutputOptions

    /// Throws if the file would be rewritten, and another process has it open.
    private static func requireUnused(_ database: OperatedDatabase) async throws {
        // What is missing is reported by opening it.
        guard try Stores.hasFile(at: database.path) else { return }
        let holders = try Stores.holders(of: database.path)
        guard !holders.isEmpty else { return }
        let survey = try await database.survey(countsTables: false)
        let isDue = survey.key?.isCurrent == false || survey.wantsEnvelope || survey.settings != survey.wantedSettings
        guard survey.finding != .plaintext, !survey.hasEnvelope, isDue else { return }
        throw CommandFailure(
            "inUse",
            """
            "\(database.path)" is open in \(holders.map(\.description).joined(separator: ", ")), which loses access to \
            it if its keys do not contain the newest one. If they do, give --in-use; otherwise give it the key first, \
            or end it, and rotate then. Nothing was changed.
            """,
            .temporaryFailure)
    }

    func run() async throws {
        guard !dryRun else { return try await plan() }
        let command = FamilyCommand<RotationDetail>(
            name: "rotate", label: "Rotating", databases: try databases.resolve(), options: family, output: output)
        let isRefused = !inUse
        try await command.run { database, progress in
            if isRefused { try await Self.requireUnused(database) }
            do {
                let report = try await database.using { store in
                    try await store.rotate { progress.update(to: $0.done, of: $0.total) }
                }
                return .init(
                    report.isRotated ? .done : .skipped, report.summary(of: try await database.keyCount()),
                    RotationDetail(report))
            } catch let error as StrongroomError where error.code == .plaintextFile {
                throw OperatedDatabase.plaintext(database.path)
            }
        }
    }

    private func plan() async throws {
        let command = FamilyCommand<RotationPlan>(
            name: "rotate --dry-run", label: "Looking", databases: try databases.resolve(), options: family,
            output: output)
        try await command.run { database, _ in
            let plan = try await database.rotationPlan()
            return .init(plan.due ? .done : .skipped, plan.summary, plan)
        }
    }
}
