import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct DoctorCommandTests {
    struct Answer: Decodable {
        struct Page: Decodable { let number: Int }

        let finding: String
        let advice: String
        let key: Int?
        let keyCount: Int?
        let damagedPages: [Page]
        let missingPages: Int
        let version: String?
    }

    private func doctor(_ ledger: Ledger, _ arguments: [String]) async throws -> (StrongroomCommands.ExitStatus, Answer)
    {
        let run = try await ledger.run(["doctor"] + arguments + ["--json"])
        // The report tells it; there is no second telling.
        #expect(run.errors.isEmpty)
        return (run.status, try run.json(Answer.self))
    }

    @Test func aWholeFileIsWhole() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let keys = try ledger.keyFile(Ledger.secrets[0], Ledger.secrets[1])
        let (status, answer) = try await doctor(ledger, [ledger.path(), "--key-file", keys])
        #expect(status == .success && answer.finding == "whole")
        #expect(answer.key == 1 && answer.keyCount == 2 && answer.version == "2")
    }

    @Test func withoutAKeyItSaysHowToGiveOne() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let (status, answer) = try await doctor(ledger, [ledger.path()])
        #expect(status == .configuration && answer.finding == "keyless")
        #expect(answer.advice.contains("--key-file"))
    }

    @Test func aTypedKeyIsTried() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let run = try await ledger.run("doctor", ledger.path(), typed: Ledger.secrets[0])
        #expect(run.status == .success && run.output.contains("whole"))
    }

    @Test func aWrongKeyIsTold() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let keys = try ledger.keyFile(Ledger.secrets[2])
        let (status, answer) = try await doctor(ledger, [ledger.path(), "--key-file", keys])
        #expect(status == .configuration && answer.finding == "wrongKey")
    }

    @Test func damagedPagesAreNumbered() async throws {
        let ledger = try Ledger()
        try await ledger.make(rows: 2_000)
        try ledger.damage(page: 3)
        try ledger.damage(page: 5)
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "damaged")
        #expect(answer.damagedPages.map(\.number) == [3, 5])
        let text = try await ledger.run("doctor", "ledger.sqlite").output
        #expect(text.contains("page 3") && text.contains("page 5") && text.contains("Next:"))
    }

    @Test func aFileThatWasCutOffIsTold() async throws {
        let ledger = try Ledger()
        try await ledger.make(rows: 2_000)
        let size = try CipherSettings.engineDefault().pageSize
        try ledger.bytes(ledger.path()).dropLast(2 * size).write(to: URL(filePath: ledger.path()))
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "truncated" && answer.missingPages == 2)
    }

    @Test func aNewerSchemaIsTold() async throws {
        let ledger = try Ledger().with(\.versions, 3)
        try await ledger.make()
        let (status, answer) = try await doctor(ledger.with(\.versions, 2), ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "newerSchema" && answer.version == "3")
    }

    @Test(
        arguments: [
            (nil, "absent", StrongroomCommands.ExitStatus.noInput), (Data(), "empty", .dataError),
            (Data("SQLite format 3\0 and little more".utf8), "truncated", .dataError),
            (Data(repeating: 7, count: 40), "tooShort", .dataError),
        ] as [(Data?, String, StrongroomCommands.ExitStatus)])
    func whatIsNoDatabaseIsTold(content: Data?, finding: String, expected: StrongroomCommands.ExitStatus) async throws {
        let ledger = try Ledger()
        let path = ledger.directory.path("strange.sqlite")
        try content?.write(to: URL(filePath: path))
        let (status, answer) = try await doctor(ledger, [path])
        #expect(status == expected && answer.finding == finding)
        // What `restore` does not replace is moved away first.
        #expect(answer.advice.contains("move it to another directory") == (content != nil))
        #expect(FileManager.default.fileExists(atPath: path) == (content != nil))
    }

    @Test func whatIsEncryptedBehindAPlaintextHeaderIsLeftAsItIs() async throws {
        let ledger = try Ledger()
        let directory = URL(filePath: ledger.path()).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // Pages of 1,024 bytes of which 80 are the engine's; what follows the 32 bytes is random.
        var bytes = Array("SQLite format 3\0".utf8) + [4, 0, 1, 1, 80, 64, 32, 32, 0, 0, 0, 3, 0, 0, 0, 2]
        var generator = SeededGenerator(7)
        bytes += (bytes.count..<2_048).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try Data(bytes).write(to: URL(filePath: ledger.path()))
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "plaintextHeader")
        #expect(answer.advice.contains("cipher_plaintext_header_size"))
        for command in ["convert", "rotate", "status", "verify", "migrate"] {
            let run = try await ledger.run(command, "ledger.sqlite", "--json")
            #expect(run.status == .dataError, "\(command)")
            #expect((run.output + run.errors).contains("plaintextHeader"), "\(command)")
            #expect(try ledger.bytes(ledger.path()) == Data(bytes), "\(command)")
        }
    }

    @Test func aBareNameThatNobodyHasIsNoFile() async throws {
        let ledger = try Ledger()
        for name in ["unknown_\(UInt32.random(in: 0...UInt32.max)).sqlite", "_no.name", "keys.keys"] {
            let (status, answer) = try await doctor(ledger, [name])
            #expect(status == .noInput && answer.finding == "absent", "\(name)")
        }
    }

    @Test func aLinkInThePlaceOfTheLogIsNamed() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let log = ledger.path() + "-wal"
        try? FileManager.default.removeItem(atPath: log)
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: ledger.directory.path("none"))
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "sideFile")
        let text = try await ledger.run("doctor", "ledger.sqlite").output
        #expect(text.contains("\"\(log)\" is a symbolic link") && !text.contains("Give the path of a file"), "\(text)")
        #expect(try await ledger.run("query", "ledger.sqlite", "SELECT 1").status == .dataError)
    }

    @Test func noProcessHasADeviceOpen() async throws {
        let run = try await Ledger().run("doctor", "/dev/null")
        #expect(run.status == .noInput && !run.output.contains("Open in") && !run.output.contains("Danger"))
    }

    @Test func aDirectoryIsNoFile() async throws {
        let ledger = try Ledger()
        let (status, answer) = try await doctor(ledger, [ledger.directory.path("")])
        #expect(status == .noInput && answer.finding == "notAFile")
    }
}
