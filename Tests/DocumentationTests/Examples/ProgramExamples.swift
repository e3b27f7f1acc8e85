import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The programs of the guides")
struct ProgramExamples {
    private let home: TemporaryDirectory

    init() throws { home = try TemporaryDirectory() }

    @Test func `README's program keeps a note in an encrypted file, also when the key changes`() async throws {
        for keys in ["an old secret", "an old secret\nthe current secret", "the current secret"] {
            let outcome = try await ExampleProgram("ReadmeProgram").run(home: home, variables: ["NOTES_KEYS": keys])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.lines.first == "Call Bob")
        }
        #if os(Linux)
        let file = try Data(contentsOf: home.url.appending(path: "data/ReadmeProgram/notes_alice.sqlite"))
        #expect(file.count > 1_000 && file.range(of: Data("Call Bob".utf8)) == nil)
        #endif
    }

    @Test func `a program finds its configuration by the name of the database`() async throws {
        for _ in 1...2 {
            let program = try ExampleProgram("ReadmeProgram")
            let outcome = try await program.run(home: home, variables: ["NOTES_KEYS": "a secret"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            // One contact also after the second upsert; then one in the archive, and one in the other table.
            let expected = [#"["Ada"]"#, #"0 ["bob@example.org"]"#, #"["bob@example.org"]"#]
            #expect(Array(outcome.lines.dropFirst()) == expected)
        }
    }

    @Test func `each run of "Getting started" has one note more to show`() async throws {
        for run in 1...2 {
            let outcome = try await ExampleProgram("GettingStartedProgram").run(home: home)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.lines.count == run)
            #expect(outcome.lines.allSatisfy { $0.hasSuffix(" Call Bob") })
        }
        let keys = home.url.appending(path: ".config/notes/keys").path(percentEncoded: false)
        #expect(try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? Int == 0o600)
        #if os(Linux)
        let file = home.path("data/GettingStartedProgram/notes_alice.sqlite")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        // Closing has brought the log into the file.
        #expect(!FileManager.default.fileExists(atPath: "\(file)-wal"))
        #endif
    }

    @Test func `a tool of one's own has the commands`() async throws {
        let keyFile = KeyFile(home.path(".config/strongroom/addressbook.keys"))
        let book = AddressBook(keyFile: keyFile, directory: home.path("data/OwnToolProgram"))
        try await Stores(book).open("addressbook_alice.sqlite").close()
        let tool = try ExampleProgram("OwnToolProgram")

        let help = try await tool.run(["--help"], home: home)
        #expect(help.status == 0 && help.output.contains("addressbook-tool"))
        #if os(Linux)
        let status = try await tool.run(["status", "addressbook_alice.sqlite", "--json"], home: home)
        #expect(status.status == 0, "\(status.errors)")
        #expect(status.lines.count == 1 && status.output.contains("addressbook_alice.sqlite"))
        let family = try await tool.run(["verify", "--family", "addressbook"], home: home)
        #expect(family.status == 0, "\(family.errors)")
        #endif
        let missing = try await tool.run(["status", "notes.sqlite"], home: home)
        #expect(missing.status == 78, "\(missing.errors)")
    }
}
