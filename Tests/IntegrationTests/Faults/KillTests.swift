#if os(Linux)
import FaultWork
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A victim works, and is interrupted at its calls of the operating system, as Tests/FaultShim does it.
@Suite("Faults at any moment", .serialized, .timeLimit(.minutes(60)))
struct KillTests {
    /// Seconds that each test has in the form for CI, all cases together.
    private enum Share {
        static let kills = 70.0
        static let full = 20.0
        static let errors = 12.0
    }

    private static func report(
        _ outcome: (table: OutcomeTable, failures: [Killer.Failure]), faults: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let version = try EngineFeatures.current().cipherVersion
        print(outcome.table.text("SQLCipher \(version), \(try FaultForm.current())", faults: faults))
        for failure in outcome.failures.prefix(20) { Issue.record("\(failure)", sourceLocation: sourceLocation) }
        #expect(outcome.failures.count == 0, sourceLocation: sourceLocation)
        #expect(outcome.table.lost == 0, sourceLocation: sourceLocation)
        #expect(outcome.table.damaged == 0, sourceLocation: sourceLocation)
    }

    @Test func undisturbedTheWorkIsDone() async throws {
        for killer in try await Killer.all.value {
            #expect(killer.goal == killer.start.work.steps, "\(killer.start.work.name)")
        }
    }

    @Test func aKillOrAPowerCutAtAnyCallLeavesTheFileWhole() async throws {
        let (form, cases) = (try FaultForm.current(), try await Killer.all.value.count)
        let outcome = try await Killer.forAll { killer, seed in
            let faults = form.choice(of: Fault.kills(killer.calls), few: 2, seed: seed)
            let random = form == .full ? 40 : 1
            return try await killer.kill(
                with: faults, atRandom: random, seed: seed, until: form.end(of: Share.kills * 2, cases: cases))
        }
        try Self.report(outcome, faults: "kills")
        if form == .full { #expect(outcome.table.faults >= 1_000) }
    }

    /// With space again, the work goes on.
    @Test(arguments: [false, true])
    func aFullDiskLeavesTheFileWhole(relieves: Bool) async throws {
        let (form, cases) = (try FaultForm.current(), try await Killer.all.value.count)
        let outcome = try await Killer.forAll { killer, seed in
            let all = killer.calls.filter(\.isWrite).map { Fault(.full, at: $0.number) }
            let faults = form.choice(of: all, few: 1, most: 100, seed: seed)
            let end = form.end(of: Share.full, cases: cases)
            return try await killer.disturb(with: faults, relieves: relieves, until: end) { run, finding in
                if relieves {
                    return finding == .intact(step: killer.goal) && run.isDone
                        ? nil : "it did not get to its end: \(run.lines) \(run.errors)"
                }
                let last = run.lines.last ?? ""
                guard run.isDone || last.hasPrefix("failed diskFull") || last.hasPrefix("failed migrationFailed") else {
                    return "the disk was full, and it said \(run.lines) \(run.errors)"
                }
                // Each transaction is acknowledged here; one that failed is not to be there.
                let isExact = !(killer.start.work is WriteWork) || finding == .intact(step: run.acknowledged)
                return isExact ? nil : "acknowledged were \(run.acknowledged) steps, found was \(finding)"
            }
        }
        try Self.report(outcome, faults: "full disks")
    }

    @Test func aCallThatFailsLeavesTheFileWhole() async throws {
        let (form, cases) = (try FaultForm.current(), try await Killer.all.value.count)
        let outcome = try await Killer.forAll { killer, seed in
            let faults = form.choice(
                of: killer.calls.map { Fault(.fail, at: $0.number) }, few: 1, most: 100, seed: seed)
            let end = form.end(of: Share.errors * 2, cases: cases)
            return try await killer.disturb(with: faults, until: end) { run, _ in
                run.isDone || run.lines.last?.hasPrefix("failed ") == true ? nil : "it said \(run.lines) \(run.errors)"
            }
        }
        try Self.report(outcome, faults: "errors")
    }

    @Test(arguments: ["restore", "rotate"], [Beginning.logMode, .leftLog])
    func aLogThatCannotBeRemovedIsNotLeftToAnotherFile(_ name: String, _ beginning: Beginning) async throws {
        let (victim, work) = (try await Victim(), try #require(Works.named(name)))
        let killer = try await Killer(FaultCase(work, beginning, victim), victim)
        let isReplacement = { (call: TracedCall) in call.name == "rename" && call.file == "vault.sqlite" }
        let before = killer.calls.prefix { !isReplacement($0) }
        try #require(before.count < killer.calls.count)
        let removal = try #require(before.last { $0.name == "unlink" && $0.file == "vault.sqlite-wal" })
        let report = try await killer.disturb(with: [Fault(.fail, at: removal.number)]) { run, _ in
            let replacement = run.calls.firstIndex(where: isReplacement) ?? run.calls.endIndex
            let last = run.calls[..<replacement].last { $0.file == "vault.sqlite-wal" }
            let isGone = last?.name == "unlink" && last?.number != removal.number
            return isGone || replacement == run.calls.endIndex ? nil : "the log is left beside another file"
        }
        #expect(report.failures.isEmpty, "\(report.failures)")
    }
}
#endif
