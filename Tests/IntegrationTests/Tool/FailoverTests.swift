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
