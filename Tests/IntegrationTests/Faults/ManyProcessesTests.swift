#if os(Linux)
import FaultWork
import Foundation
import StrongroomTesting
import Testing

/// Several processes come upon one file on which there is something to be done, at the same moment.
@Suite("Processes that open one file at once", .timeLimit(.minutes(60)))
struct ManyProcessesTests {
    private static let processes = 4
    /// The one that has another name gives it that name itself, which they would do all at once.
    private static let works = Works.all.filter { !($0 is WriteWork) && $0.name != "rotate-in-place" }

    @Test(arguments: works.map(\.name), [Beginning.logMode, .leftLog])
    func oneDoesItAndAllEndUpReading(name: String, beginning: Beginning) async throws {
        let work = try #require(Works.named(name))
        let beginning = work.beginsWithFile ? beginning : .noFile
        let victim = try await Victim()
        let directory = try TemporaryDirectory()
        let place = try await FaultCase(work, beginning, victim).lay(in: directory)
        let runs = try await withThrowingTaskGroup(of: Victim.Run.self) { group in
            for _ in 0..<Self.processes { group.addTask { try await victim.run("run", work, in: place.directory) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for run in runs { #expect(run.isDone, "\(run.lines) \(run.errors)") }
        let sight = try await work.look(in: place)
        #expect(sight.integrity == "ok" && sight.step == work.steps && sight.rows == work.rows(after: sight.step))
        #expect(try place.strayNames() == [])
        let copies = runs.filter { run in run.calls.contains { $0.name == "create" && $0.file.hasSuffix(".rotating") } }
        let isCopied = work is RewriteWork || name == "migrate-rotate" || name == "envelope"
        #expect(copies.count == (isCopied ? 1 : 0) || name == "data-key", "\(copies.count) of them rewrote the file")
    }
}
#endif
