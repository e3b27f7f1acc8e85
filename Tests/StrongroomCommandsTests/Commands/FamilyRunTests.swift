import Strongroom
import StrongroomCommands
import Testing

/// Several databases at once, of which one is given up.
@Suite("A run over several databases", .ending)
struct FamilyRunTests {
    private static let paths = ["/nowhere/ledger_a.sqlite", "/nowhere/ledger_b.sqlite"]

    private func run(
        _ work: @escaping @Sendable (OperatedDatabase) async throws -> FamilyRun<String>.Result
    ) throws -> FamilyRun<String> {
        let databases = try Self.paths.map { try OperatedDatabase($0, path: nil, keys: .plaintext) }
        return FamilyRun(command: "test", databases: databases, limit: 2, work: work)
    }

    /// Goes on until the others are given up, and is done all the same.
    private static let lasting: @Sendable () async -> FamilyRun<String>.Result = {
        while !Task.isCancelled { await Task.yield() }
        return .init(.done, "done")
    }

    @Test func whatIsDoneIsToldAlsoWhenAnotherIsGivenUp() async throws {
        let run = try run { database in
            guard database.path == Self.paths[0] else { throw CancellationError() }
            return await Self.lasting()
        }
        let told = Locked<[String]>([])
        await #expect(throws: CancellationError.self) {
            try await run.run { outcome in told.withLock { $0.append(outcome.path) } }
        }
        #expect(told.withLock { $0 } == [Self.paths[0]])
    }

    @Test func whatIsDoneIsToldAlsoWhenTellingFails() async throws {
        let run = try run { database in
            guard database.path == Self.paths[0] else { return await Self.lasting() }
            return .init(.done, "done")
        }
        let told = Locked<[String]>([])
        let failure = try await #require(throws: CommandFailure.self) {
            try await run.run { outcome in
                told.withLock { $0.append(outcome.path) }
                throw CommandFailure("report", "The report of \(outcome.path) cannot be written.", .inputOutput)
            }
        }
        #expect(told.withLock { $0 } == Self.paths)
        // The first failure is the one to tell.
        #expect(failure.message.contains(Self.paths[0]))
    }
}
