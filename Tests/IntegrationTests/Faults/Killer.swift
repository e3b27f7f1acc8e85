#if os(Linux)
import FaultWork
import Foundation
import StrongroomTesting

/// Lets faults befall a victim at one kind of work, and looks at what is left each time.
struct Killer: Sendable {
    /// A fault that the file did not survive, or that did not come.
    struct Failure: Sendable, CustomStringConvertible {
        let description: String
    }

    /// What a case gave.
    struct Report: Sendable {
        var line: OutcomeTable.Line
        var failures: [Failure] = []
    }

    struct Unfit: Error {
        let reason: String
    }

    let start: FaultCase
    let victim: Victim
    /// The calls of an undisturbed run.
    let calls: [TracedCall]
    /// How long it takes.
    let duration: Duration
    private let inspector: Inspector

    /// Counts the calls of an undisturbed run.
    init(_ start: FaultCase, _ victim: Victim) async throws {
        self.start = start
        self.victim = victim
        let directory = try TemporaryDirectory()
        let place = try start.lay(in: directory)
        let run = try await victim.run("run", start.work, in: place.directory)
        guard run.isDone else { throw Unfit(reason: "undisturbed it ends with \(run.lines) \(run.errors)") }
        calls = run.calls
        duration = run.duration
        inspector = Inspector(work: start.work, goal: try await start.work.look(in: place).step)
    }

    /// The step after which a file stands when the work was not disturbed.
    var goal: Int { inspector.goal }

    /// Kills the victim once for each fault, and some times from outside at random moments.
    func kill(
        with faults: [Fault], atRandom count: Int = 0, seed: UInt64 = 1, until end: ContinuousClock.Instant? = nil
    ) async throws -> Report {
        var report = Report(line: OutcomeTable.Line(work: start.work.name, beginning: start.beginning.rawValue))
        var generator = SeededGenerator(seed)
        for _ in 0..<count {
            let life = duration * Double.random(in: 0.1...1.1, using: &generator)
            try await strike(nil, life: life, &report) { _, _ in nil }
        }
        for fault in faults where end.map({ .now < $0 }) ?? true {
            try await strike(fault, &report) { run, _ in
                // A run that makes fewer calls than the undisturbed one may have ended before.
                if !start.work.isRepeatable, run.isDone { return nil }
                return run.signal == SIGKILL ? nil : "it was not killed: \(run.lines) \(run.errors)"
            }
        }
        return report
    }

    /// Lets calls fail, which the victim survives.
    ///
    /// - Parameters:
    ///   - relieves: Whether there is a filler, which the victim removes when the disk is full, and goes on.
    ///   - check: What is wrong with a run, and with the step after which the file stands; nil for nothing.
    func disturb(
        with faults: [Fault], relieves: Bool = false, until end: ContinuousClock.Instant? = nil,
        _ check: (Victim.Run, Inspector.Finding) -> String?
    ) async throws -> Report {
        var report = Report(line: OutcomeTable.Line(work: start.work.name, beginning: start.beginning.rawValue))
        for fault in faults where end.map({ .now < $0 }) ?? true {
            try await strike(fault, relieves: relieves, &report) { run, finding in
                run.signal.map { "it crashed with signal \($0)" } ?? check(run, finding)
            }
        }
        return report
    }

    private func strike(
        _ fault: Fault?, relieves: Bool = false, life: Duration? = nil, _ report: inout Report,
        _ check: (Victim.Run, Inspector.Finding) -> String?
    ) async throws {
        let directory = try TemporaryDirectory()
        let place = try start.lay(in: directory)
        let filler = directory.path("filler")
        if relieves { try Data().write(to: URL(filePath: filler)) }
        let run = try await victim.run(
            "run", start.work, in: place.directory, fault, filler: relieves ? filler : nil, relieves: relieves,
            life: life)
        let finding = try await inspector.inspect(place, acknowledged: run.acknowledged)
        report.line.faults += 1
        var wrong = check(run, finding)
        switch finding {
        case .intact(0): report.line.before += 1
        case .intact(let step) where step == start.work.steps: report.line.after += 1
        case .intact: report.line.between += 1
        case .lost(let reason):
            report.line.lost += 1
            wrong = "lost: \(reason)"
        case .damaged(let reason):
            report.line.damaged += 1
            wrong = "damaged: \(reason)"
        }
        guard let wrong else { return }
        let what = fault.map { "\($0)" } ?? "kill from outside"
        let last = run.calls.suffix(4).map(\.description).joined(separator: ", ")
        report.failures.append(
            Failure(
                description: """
                    \(start.work.name), begins with \(start.beginning.rawValue), \(what): \(wrong). Acknowledged: \
                    \(run.acknowledged). Last calls: \(last)
                    """))
    }
}

extension Killer {
    /// All cases, each with its calls counted; made once.
    static let all = Task {
        let victim = try await Victim()
        var killers: [Killer] = []
        for start in try await FaultCase.all(victim) { killers.append(try await Killer(start, victim)) }
        return killers
    }

    /// Does something with all cases, two at a time, and makes a table of it.
    ///
    /// - Parameter work: Gets a case and its number.
    static func forAll(
        _ work: @escaping @Sendable (Killer, UInt64) async throws -> Report
    ) async throws -> (table: OutcomeTable, failures: [Failure]) {
        let killers = try await all.value
        let reports = try await withThrowingTaskGroup(of: (Int, Report).self) { group in
            var reports: [Int: Report] = [:]
            for (number, killer) in killers.enumerated() {
                if number >= 2, let (done, report) = try await group.next() { reports[done] = report }
                group.addTask {
                    let report = try await work(killer, UInt64(number))
                    if try FaultForm.current() == .full { report.line.tell() }
                    return (number, report)
                }
            }
            for try await (done, report) in group { reports[done] = report }
            return reports.sorted { $0.key < $1.key }.map(\.value)
        }
        var table = OutcomeTable()
        for report in reports { table.add(report.line) }
        return (table, reports.flatMap(\.failures))
    }
}
#endif
