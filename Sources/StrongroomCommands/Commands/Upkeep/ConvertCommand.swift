import ArgumentParser
import Strongroom

/// `convert`: encrypts plaintext files and upgrades older formats.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Encrypts plaintext files, and brings files of SQLCipher 3 to the linked engine's form.",
        discussion: """
            A file that has its form already is skipped, so a run that was interrupted is resumed by the same \
            command. The newest key of the chain is what it is encrypted with. Until the new file is proved to hold \
            every row, the old one stays in its place; then nothing of it is left. Copies that others have made of it \
            are theirs.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !databases.keys.plaintext else {
            throw ValidationError("--plaintext says that there is no key; give the one that the file is to get.")
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
                    "noKey", "The configuration says that \"\(database.path)\" stays plaintext. Give --key-file.",
                    .configuration)
            }
            let survey = try await database.survey(countsTables: false)
            if !survey.isPlaintext, let settings = survey.settings, settings == survey.wantedSettings {
                return .init(.skipped, "encrypted already, \(settings.shortName)")
            }
            let added = try await database.keyCount() - count
            let report = try await database.using { store in
                try await store.rotate { progress.update(to: $0.done, of: $0.total) }
            }
            return .init(
                report.isRotated ? .done : .skipped, report.words(of: count, added: added),
                RotationDetail(report, added: added))
        }
    }
}
