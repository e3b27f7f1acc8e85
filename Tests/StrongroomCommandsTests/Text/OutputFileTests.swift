import Foundation
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("A file that is written")
struct OutputFileTests {
    @Test func whatAKilledProcessHasLeftIsBegunAnew() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("rows.csv")
        let left = "\(path).strongroom-part"
        try Data("plaintext that nobody asked for any more".utf8).write(to: URL(filePath: left))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: left)
        let file = try OutputFile(path, replaces: false)
        try file.write("a\n")
        try file.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["rows.csv"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func oneIsWrittenAtATime() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("rows.csv")
        var first: OutputFile? = try OutputFile(path, replaces: false)
        try first?.write("first\n")
        let failure = try #require(throws: CommandFailure.self) { try OutputFile(path, replaces: true) }
        #expect(failure.code == "locked" && failure.status == .temporaryFailure)
        // The one that was refused has taken nothing away.
        try first?.finish()
        first = nil
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\n")
        _ = try OutputFile(path, replaces: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["rows.csv"])
    }
}
