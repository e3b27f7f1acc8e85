import ArgumentParser
import Configurations
import Foundation
import Strongroom
import StrongroomCommands

/// `strongroom demo`: a store from creation to rotation, with this machine's installed software.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Stores this machine's installed software in an encrypted database, and reports how that works.",
        discussion: """
            Creates the store, or opens the existing one; stores every package, twice; reads from four tasks while \
            it writes; searches; and shows that the file holds none of the plaintext.

            The store stays: a second run finds it and updates it.
            """
    )

    @Option(help: "A Debian control file: dpkg's status, or an uncompressed Packages list of an archive.")
    var input = "/var/lib/dpkg/status"

    @Option(help: "The database's name: inventory.sqlite, or inventory_<host>.sqlite.")
    var name = "inventory.sqlite"

    @Option(
        help: ArgumentHelp("The directory of the database (default: the platform's data directory).", valueName: "path")
    )
    var directory: String?

    @Option(
        help: ArgumentHelp(
            """
            The file with the keys, one a line, oldest first, mode 0600; created with a random key if missing \
            (default: strongroom/inventory.keys in the platform's configuration directory).
            """,
            valueName: "path"
        )
    )
    var keyFile: String?

    @Option(help: "What to search the packages' names and descriptions for; the last word may be a beginning.")
    var search = "library"

    @Option(help: "How many packages the tables show.")
    var top = 10

    @Flag(help: "Print one JSON object, for machines.")
    var json = false

    func validate() throws {
        guard (1...1_000).contains(top) else { throw ValidationError("--top takes a number from 1 to 1000.") }
    }

    func run() async throws {
        let inventory = Inventory(keyFile: keyFile.map { KeyFile(absolute($0)) }, directory: directory.map(absolute))
        let demo = Demo(
            inventory: inventory,
            name: name,
            input: absolute(input),
            word: search,
            top: top,
            story: DemoStory(console: .standard, isQuiet: json)
        )
        let report = try await demo.run()
        if json { Console.standard.write(verbatim: try JSONLine.encode(report)) }
        guard report.plaintextFound.isEmpty else {
            throw CommandFailure("plaintextFound", "The file holds plaintext; do not use this engine.", .failure)
        }
        if case .failed? = Console.standard.failure(of: .output) {
            throw CommandFailure("inputOutput", "The output could not be written.", .inputOutput)
        }
    }

    private func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}
