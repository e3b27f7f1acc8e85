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

            A file with older cipher settings than its configuration specifies gets the new ones. A plaintext file is \
            encrypted if the chain of its configuration begins with Key.plaintext, and rejected otherwise: see \
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
                    "The file \"\(database.path)\" is a plaintext database. Encrypt it with `convert`.",
                    .configuration)
            }
        }
    }
}
