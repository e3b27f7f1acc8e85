import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("convert")
struct ConvertCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable { let plaintextLeft: Bool? }

        let status: String
        let message: String?
        let detail: Detail?
    }

    /// A database that was encrypted, beside the plaintext of it, as a conversion leaves it that was killed after the
    /// new file had its name.
    private func interrupted() async throws -> (ledger: Ledger, left: String) {
        let ledger = try Ledger()
        try await ledger.makePlaintext()
        let left = ledger.path(".ledger.sqlite.plaintext")
        let plaintext = try ledger.bytes(ledger.path())
        #expect(try await ledger.run("convert", "ledger.sqlite").status == .success)
        try plaintext.write(to: URL(filePath: left))
        return (ledger, left)
    }

    @Test func whatAKilledRunHasLeftIsFinishedAndSaid() async throws {
        let (ledger, left) = try await interrupted()
        // Still open here, so that what became of its bytes can be read when its name is gone.
        let handle = try #require(FileHandle(forReadingAtPath: left))
        let run = try await ledger.run("convert", "ledger.sqlite")
        #expect(run.status == .success)
        #expect(run.output.contains("done") && run.output.contains("plaintext"), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try (handle.readToEnd() ?? Data()).allSatisfy { $0 == 0 })
        let again = try await ledger.run("convert", "ledger.sqlite")
        #expect(again.output.contains("already encrypted"), "\(again.output)")
    }

    @Test func statusAndDoctorNameIt() async throws {
        let (ledger, left) = try await interrupted()
        let status = try await ledger.run("status", "ledger.sqlite")
        #expect(status.output.contains(left) && status.output.contains("convert"), "\(status.output)")
        let json = try await ledger.run("status", "ledger.sqlite", "--json")
        #expect(try json.json(Answer.self).detail?.plaintextLeft == true)
        try await ledger.make("ledger_other.sqlite")
        let table = try await ledger.run("status", "ledger.sqlite", "ledger_other.sqlite")
        #expect(table.output.contains("convert"), "\(table.output)")
        for name in ["ledger.sqlite", ledger.path()] {
            let keys = name == "ledger.sqlite" ? [] : ["--key-file", try ledger.keyFile(Ledger.secrets[0])]
            let doctor = try await ledger.run(["doctor", name] + keys)
            #expect(doctor.output.contains(left) && doctor.output.contains("convert"), "\(doctor.output)")
        }
        #expect(FileManager.default.fileExists(atPath: left))
        let other = try await ledger.run("status", "ledger_other.sqlite", "--json")
        #expect(try other.json(Answer.self).detail?.plaintextLeft == false)
    }

    @Test func afterAFailureTheFileIsAsItWas() async throws {
        let ledger = try Ledger()
        try await ledger.makePlaintext()
        // Not in WAL mode, as another program's file.
        var bytes = try ledger.bytes(ledger.path())
        (bytes[18], bytes[19]) = (1, 1)
        try bytes.write(to: URL(filePath: ledger.path()))
        try FileManager.default.linkItem(atPath: ledger.path(), toPath: ledger.path("other name"))
        let run = try await ledger.run("convert", "ledger.sqlite")
        #expect(run.status != .success && (run.output + run.errors).contains("hard"), "\(run)")
        #expect(try ledger.bytes(ledger.path()) == bytes)
        try FileManager.default.removeItem(atPath: ledger.path("other name"))
        #expect(try await ledger.run("convert", "ledger.sqlite").status == .success)
        #expect(try ledger.bytes(ledger.path()).prefix(15) != bytes.prefix(15))
    }
}
