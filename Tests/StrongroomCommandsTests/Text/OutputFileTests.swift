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

    @Test func aLinkToNothingIsNamed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("rows.csv")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("nothing"))
        let failure = try #require(throws: CommandFailure.self) { _ = try OutputFile(path, replaces: false) }
        #expect(failure.status == .cannotCreate && failure.message.contains("is a symbolic link"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["rows.csv"])
    }

    /// In a directory that others may write, somebody may have put one there.
    @Test(arguments: [true, false])
    func whatLiesInTheWayIsNotWrittenTo(isSymbolic: Bool) throws {
        let directory = try TemporaryDirectory()
        let (path, mine) = (directory.path("rows.csv"), directory.path("mine"))
        let before = Data("somebody else's".utf8)
        try before.write(to: URL(filePath: mine))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: mine)
        let left = "\(path).strongroom-part"
        if isSymbolic {
            try FileManager.default.createSymbolicLink(atPath: left, withDestinationPath: mine)
        } else {
            try FileManager.default.linkItem(atPath: mine, toPath: left)
        }
        let file = try OutputFile(path, replaces: false)
        try file.write("plaintext\n")
        #expect(try FileManager.default.attributesOfItem(atPath: left)[.posixPermissions] as? Int == 0o600)
        try file.finish()
        #expect(try Data(contentsOf: URL(filePath: mine)) == before)
        #expect(try FileManager.default.attributesOfItem(atPath: mine)[.posixPermissions] as? Int == 0o644)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("")).sorted() == ["mine", "rows.csv"])
    }

    @Test func whatIsNoFileIsNotRemoved() throws {
        let directory = try TemporaryDirectory()
        let left = directory.path("rows.csv.strongroom-part")
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        let failure = try #require(throws: CommandFailure.self) {
            try OutputFile(directory.path("rows.csv"), replaces: false)
        }
        #expect(failure.code == "notAFile")
        #expect(FileManager.default.fileExists(atPath: left))
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
