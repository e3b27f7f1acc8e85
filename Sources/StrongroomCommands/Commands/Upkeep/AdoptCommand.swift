import ArgumentParser
import Strongroom

/// `adopt`: accepts the file of a database under its new name.
struct AdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Accepts the file of a renamed database under its new name.",
        discussion: """
            The file of a database whose configuration has a migrator records the database's name, and is opened under \
            no other one: it could be that of another tenant. Close the database, move the file and those that belong \
            to it (-wal, .keys, .keys.copy) to the path of the new name, then adopt it. A backup of another database \
            is restored with `restore --adopt-from`.
            """
    )

    @OptionGroup var database: OneDatabase
    @Option(
        name: .customLong("from"), help: ArgumentHelp("The previous name, which the file records.", valueName: "name"))
    var previous: String
    @OptionGroup var output: OutputOptions

    private struct Detail: Encodable {
        let database: String
        let from: String
    }

    func run() async throws {
        let database = try database.resolve()
        try await database.adopt(from: previous)
        guard !output.json else {
            return try output.write(Detail(database: database.name.fileName, from: previous))
        }
        CommandSession.current.console.write(
            "\(database.path, .bold) is the database \"\(database.name.fileName)\" now.")
    }
}

extension OperatedDatabase {
    /// Accepts the file under the database's name.
    fileprivate func adopt(from previous: String) async throws {
        try Self.checkFile(path)
        try await Stores(answering: name.target, with: configuration).adopt(name.fileName, from: previous)
    }
}
