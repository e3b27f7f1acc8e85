#if os(Linux)
import FaultWork
import Foundation
import StrongroomTesting
import Testing

/// The tests of faults are tested themselves: with a promise broken on purpose they must find rows lost or a file
/// damaged.
@Suite("Planted faults are noticed", .ending)
struct PlantedWorkTests {
    private static func killer(_ work: any Work, _ beginning: Beginning = .logMode) async throws -> Killer {
        let victim = try await Victim()
        return try await Killer(FaultCase(work, beginning, victim), victim)
    }

    /// The calls that bring the log to the disk.
    private static func synchronizations(_ killer: Killer) -> [TracedCall] {
        killer.calls.filter { $0.name == "fdatasync" && $0.file.hasSuffix("-wal") }
    }

    @Test func theShimSeesTheEnginesCalls() async throws {
        let killer = try await Self.killer(WriteWork(), .deleteMode)
        let seen = Set(killer.calls.map { "\($0.name) \($0.file)" })
        let expected: Set = [
            "create vault.sqlite-journal", "pwrite vault.sqlite-journal", "unlink vault.sqlite-journal",
            "create vault.sqlite-wal", "pwrite vault.sqlite-wal", "fdatasync vault.sqlite-wal", "pwrite vault.sqlite",
            "fdatasync vault.sqlite", "fdatasync .", "unlink vault.sqlite-wal",
        ]
        #expect(expected.subtracting(seen) == [])
        #expect(killer.goal == WriteWork().steps)
        let creation = try await Self.killer(CreateWork(), .noFile)
        #expect(creation.calls.contains { $0.name == "link" && $0.file == "vault.sqlite" })
        #expect(creation.calls.contains { $0.name == "create" && $0.file == ".vault.sqlite.lock" })
    }

    @Test func theBeginningsDiffer() async throws {
        let inDeleteMode = try await Self.killer(WriteWork(), .deleteMode)
        let inLogMode = try await Self.killer(WriteWork(), .logMode)
        #expect(inDeleteMode.calls.contains { $0.file.hasSuffix("-journal") })
        #expect(!inLogMode.calls.contains { $0.file.hasSuffix("-journal") })
        let victim = try await Victim()
        let directory = try TemporaryDirectory()
        let place = try await FaultCase(WriteWork(), .leftLog, victim).lay(in: directory)
        #expect(try place.strayNames() == ["vault.sqlite-shm", "vault.sqlite-wal"])
    }

    @Test func theVictimDiesAtTheCallThatIsMeant() async throws {
        let killer = try await Self.killer(WriteWork())
        for kind in [Fault.Kind.killBefore, .killAfter, .tear, .cut] {
            let at = try #require(killer.calls.filter(\.isWrite).dropFirst(20).first).number
            let directory = try TemporaryDirectory()
            let place = try killer.start.lay(in: directory)
            let run = try await killer.victim.run("run", WriteWork(), in: place.directory, Fault(kind, at: at))
            #expect(run.signal == 9)
            #expect(run.calls == Array(killer.calls.prefix(at)))
        }
    }

    @Test func aDiskThatLiesLosesRows() async throws {
        let killer = try await Self.killer(WriteWork())
        let faults = Self.synchronizations(killer).map { Fault(.cut, at: $0.number + 1, lies: true) }
        let report = try await killer.kill(with: Array(faults.suffix(3)))
        #expect(report.line.lost > 0)
        let honest = try await killer.kill(with: faults.suffix(3).map { Fault(.cut, at: $0.at) })
        #expect(honest.line.lost == 0 && honest.line.damaged == 0)
    }

    @Test func whatIsAcknowledgedTooEarlyCountsAsLost() async throws {
        let killer = try await Self.killer(WriteWork(flaw: .acknowledgesEarly))
        let faults = Self.synchronizations(killer).prefix(2).map { Fault(.cut, at: $0.number) }
        let report = try await killer.kill(with: faults)
        #expect(report.line.lost > 0)
        #expect(report.failures.count == report.line.lost + report.line.damaged)
    }

    @Test func aHalfDoneTransactionCountsAsDamage() async throws {
        let killer = try await Self.killer(WriteWork(flaw: .commitsHalves))
        let faults = Self.synchronizations(killer).prefix(4).map { Fault(.killAfter, at: $0.number) }
        let report = try await killer.kill(with: faults)
        #expect(report.line.damaged > 0)
    }

    @Test func aFileThatWasCutShortCountsAsDamage() async throws {
        let killer = try await Self.killer(WriteWork())
        let directory = try TemporaryDirectory()
        let place = try killer.start.lay(in: directory)
        let file = try FileHandle(forWritingTo: URL(filePath: place.path))
        try file.truncate(atOffset: file.seekToEnd() / 2)
        try file.close()
        let finding = try await Inspector(work: WriteWork(), goal: killer.goal).inspect(place, acknowledged: 0)
        guard case .damaged = finding else {
            Issue.record("\(finding)")
            return
        }
    }
}
#endif
