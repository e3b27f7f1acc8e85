import Foundation
import StrongroomTesting
import Testing

@Suite("The examples of README")
struct ReadmeExamples {
    @Test func theFirstProgramKeepsANoteInAnEncryptedFile() async throws {
        let home = try TemporaryDirectory()
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
}
