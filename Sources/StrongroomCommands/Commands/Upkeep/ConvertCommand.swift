import ArgumentParser
import Strongroom

/// `convert`: encrypts plaintext files and upgrades older formats.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Encrypts plaintext files, and upgrades files of SQLCipher 3 to the linked engine's format.",
        discussion: """
            Files that already have the format are skipped, so the same command resumes an interrupted run; the \
            plaintext of a file that such a run has left is erased. Files are encrypted with the newest key of the \
            chain. The old file stays in place until the new file is verified to \
            contain every row; its content is then erased. Copies of the old file are not affected.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !databases.keys.plaintext else {
            throw ValidationError("--plaintext means that there is no key; give the new key of the file.")
        }
    }

    func run() async throws {
        let command = FamilyCommand<RotationDetail>(
            name: "convert", label: "Converting", databases: try databases.resolve(isNewKey: true), options: family,
            output: output)
        try await command.run { database, progress in
            let count = try await database.keyCount()
            let database = database.openingEveryForm()
            guard count > 0 else {
                throw CommandFailure(
                    "noKey", "The configuration specifies plaintext for \"\(database.path)\". Give --key-file.",
                    .configuration)
            }
            let survey = try await database.survey(countsTables: false)
            if survey.finding != .plaintext, let settings = survey.settings, settings == survey.wantedSettings {
                guard survey.plaintextLeft != nil else {
                    return .init(.skipped, "already encrypted, \(settings.shortName)")
                }
                // Opening it erases what an interrupted run has left.
                try await database.using { _ in }
                return .init(.done, "the plaintext that an interrupted run had left was erased")
            }
            let added = try await database.keyCount() - count
            // A store of a plaintext file would put it into WAL mode, also where it can't be encrypted then.
            let encrypting = database.openingEveryForm(isEncrypting: survey.finding == .plaintext)
            let report = try await encrypting.using { store in
                if let report = store.openReport.rotation { return report }
                return try await store.rotate { progress.update(to: $0.done, of: $0.total) }
            }
            return .init(
                report.isRotated ? .done : .skipped, report.summary(of: count, added: added),
                RotationDetail(report, added: added))
        }
    }
}
