import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Operating many databases\"")
struct OperatingExamples {
    @Test func aToolOfOnesOwnIsOneCall() async throws {
        let home = try TemporaryDirectory()
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
