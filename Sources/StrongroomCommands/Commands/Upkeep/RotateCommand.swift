import ArgumentParser
import Strongroom

/// `rotate`: rotates files to the newest key.
struct RotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Brings files to the newest key of their chain.",
        discussion: """
            A file that is on the newest key already is skipped, so a run that was interrupted is resumed by the \
            same command. Whenever it is interrupted, each file opens with a key of the chain, and every row is there.

            A file with older cipher settings than its configuration gives gets the new ones. A plaintext file is \
            encrypted where the chain of its configuration begins with Key.plaintext, and refused otherwise: see \
            convert.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let command = FamilyCommand<RotationDetail>(
            name: "rotate", label: "Rotating", databases: try databases.resolve(), options: family, output: output)
        try await command.run { database, progress in
            do {
                let report = try await database.using { store in
                    try await store.rotate { progress.update(to: $0.done, of: $0.total) }
                }
                return .init(
                    report.isRotated ? .done : .skipped, report.words(of: try await database.keyCount()),
                    RotationDetail(report))
            } catch let error as StrongroomError where error.code == .plaintextFile {
                throw CommandFailure(
                    "plaintextFile",
                    "The file \"\(database.path)\" is a plaintext database. Have it encrypted with `convert`.",
                    .configuration)
            }
        }
    }
}
