import StrongroomCommands
import Testing

@Suite("Summary of several databases")
struct FamilySummaryTests {
    @Test func aLongNameLeavesRoomForWhatWasDone() async throws {
        var ledger = try Ledger()
        ledger.configuration.versions = 2
        let names = ["ledger_\(String(repeating: "a", count: 64)).sqlite", "ledger_b.sqlite"]
        for name in names { try await ledger.make(name) }
        let run = try await ledger.run(["verify"] + names, isTerminal: true)
        #expect(run.status == .success)
        let lines = run.output.split(separator: "\n").map { $0.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "") }
        #expect(lines.allSatisfy { TerminalText.width(of: String($0)) <= 80 }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("ledger_aaaaaaaaaaaa") && $0.contains("page") }, "\(lines)")
    }
}
