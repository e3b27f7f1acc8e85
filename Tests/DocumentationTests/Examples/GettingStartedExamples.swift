import Foundation
import StrongroomTesting
import Testing

@Suite("The examples of \"Getting started\"")
struct GettingStartedExamples {
    @Test func eachRunHasOneNoteMoreToShow() async throws {
        let home = try TemporaryDirectory()
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
}
