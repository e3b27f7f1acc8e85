import Foundation
import StrongroomTesting
import Testing

@Suite("A second host takes over from one that is killed")
struct FailoverTests {
    private struct Report: Decodable {
        let acknowledged: Int
        let found: Int
        let lost: Int
    }

    @Test func nothingAcknowledgedIsLost() async throws {
        let tool = try Tool()
        let outcome = try await tool.run(["failover", "--payments", "30", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.acknowledged >= 30 && report.found >= report.acknowledged && report.lost == 0)
    }

    @Test func aHostThatCannotWriteIsAnError() async throws {
        let tool = try Tool()
        let directory = try TemporaryDirectory()
        try Data().write(to: URL(filePath: directory.path("file")))
        let outcome = try await tool.run(["failover", "--payments", "1", "--replicas", directory.path("file/replicas")])
        #expect(outcome.status == 1 && outcome.errors.contains("object store needs it"), "\(outcome.errors)")
    }
}

@Suite("Commands that only read", .ending)
struct NoTraceTests {
    @Test(arguments: [
        ["query", "SELECT count(*) FROM item"], ["tables"], ["schema"], ["export", "item"], ["shell"],
    ])
    func theyLeaveNothingBehind(command: [String]) async throws {
        let workshop = try await DataWorkshop()
        try FileManager.default.moveItem(atPath: workshop.directory.path("keys"), toPath: workshop.directory.path("k"))
        try FileManager.default.createDirectory(
            atPath: workshop.directory.path("data"), withIntermediateDirectories: false)
        let database = workshop.directory.path("data/workshop.sqlite")
        try FileManager.default.moveItem(atPath: workshop.database, toPath: database)
        let before = try content(workshop)
        let arguments = [command[0], database] + command.dropFirst() + ["--key-file", workshop.directory.path("k")]
        let outcome = try await workshop.run(arguments, input: command == ["shell"] ? "SELECT 1;\n" : nil)
        #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
        #expect(try content(workshop) == before)
        #expect(before.keys.sorted() == ["workshop.sqlite"])
    }

    /// The bytes of each file beside the database.
    private func content(_ workshop: DataWorkshop) throws -> [String: Data] {
        let directory = workshop.directory.path("data")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try Data(contentsOf: URL(filePath: "\(directory)/\(name)")))
            })
    }
}
