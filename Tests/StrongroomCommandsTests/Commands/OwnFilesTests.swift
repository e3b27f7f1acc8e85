import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

/// What a command must not read, write or tell.
@Suite("A database's own files", .ending)
struct OwnFilesTests {
    @Test(arguments: ["", "-wal", "-shm", "-journal", ".keys", ".keys.copy"])
    func theDatabaseIsNeitherExportedOntoNorImported(ending: String) async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let before = try ledger.bytes(ledger.path())
        let path = ledger.path() + ending
        let out = try await ledger.run("export", "ledger.sqlite", "entry", "-o", path, "--force", "--json")
        #expect(try out.failure().code == "sameFile")
        let back = try await ledger.run("import", "ledger.sqlite", "entry", path, "--json")
        #expect(try back.failure().code == "sameFile")
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test func anotherNameOfTheDatabaseIsTheDatabase() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let (link, name) = (ledger.directory.path("link.csv"), ledger.directory.path("name.csv"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ledger.path())
        try FileManager.default.linkItem(atPath: ledger.path(), toPath: name)
        for path in [link, name] {
            let run = try await ledger.run("import", "ledger.sqlite", "entry", path, "--json")
            #expect(try run.failure().code == "sameFile")
        }
    }

    private struct Leak: Error {
        let secret = Ledger.secrets[0]
    }

    private struct Leaking: Configuration {
        static let target = "ledger"

        let path: String

        func filePath(for database: DatabaseName) -> String? { path }
        func keyChain(for database: DatabaseName) throws -> KeyChain { throw Leak() }
    }

    @Test(arguments: [[], ["--json"]])
    func whatAConfigurationThrowsIsToldByItsTypeAlone(options: [String]) async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let (output, errors) = (TextCapture(), TextCapture())
        let session = CommandSession(
            console: Console(output: ConsoleStream(capture: output), errors: ConsoleStream(capture: errors)),
            stores: try Stores(Leaking(path: ledger.path())))
        let status = await StrongroomTool.status(of: ["tables", "ledger.sqlite"] + options, in: session)
        #expect(status == .failure)
        #expect(errors.text.contains("Leak") && !errors.text.contains(Ledger.secrets[0]))
        #expect(output.text.isEmpty)
    }
}
