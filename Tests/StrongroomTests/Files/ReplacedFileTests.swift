import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Replaced files")
struct ReplacedFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let content = Data(repeating: 7, count: 10_000)

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("vault.sqlite")
        try content.write(to: URL(filePath: path))
    }

    private func contentByAnotherName(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: directory.path(name)))
    }

    @Test func theBeginningOfAFileWithoutFurtherNamesIsOverwritten() throws {
        let file = try ReplacedFile(path)
        let reader = try FileHandle(forReadingFrom: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        try file.invalidate()
        let left = try #require(try reader.readToEnd())
        #expect(left.count == content.count)
        #expect(left.prefix(4_096) != content.prefix(4_096) && left.dropFirst(4_096) == content.dropFirst(4_096))
    }

    @Test func aFileWithANameThatIsNotTheLibrarysStaysAsItIs() throws {
        let file = try ReplacedFile(path)
        try FileManager.default.linkItem(atPath: path, toPath: directory.path("backup"))
        try file.invalidate(names: 1)
        #expect(try contentByAnotherName("backup") == content)
        try FileManager.default.removeItem(atPath: path)
        try file.invalidate()
        #expect(try contentByAnotherName("backup") == content)
        try file.invalidate(names: 1)
        #expect(try contentByAnotherName("backup") != content)
    }

    #if os(Linux)
    /// Its locks are kept, so that the program's operations fail.
    @Test func aFileThatAnotherProgramHasOpenIsKeptAfterAFailure() throws {
        let program = Process()
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        program.executableURL = URL(filePath: "/bin/sleep")
        program.arguments = ["600"]
        program.standardInput = handle
        try program.run()
        try handle.close()
        defer {
            // It may have inherited a signal mask that blocks the others.
            kill(program.processIdentifier, SIGKILL)
            program.waitForEnd()
        }
        let file = try ReplacedFile(path)
        try FileManager.default.removeItem(atPath: path)
        try file.retire()
        #expect(ReplacedFiles.shared.isKept(path))
    }
    #endif
}
