import Foundation
import Strongroom

/// Processes several databases, some at a time, and continues when one fails.
package struct FamilyRun<Detail: Encodable & Sendable>: Sendable {
    /// The result for one database.
    package struct Result: Sendable {
        package var status: Outcome<Detail>.Status
        package var summary: String
        package var detail: Detail?
        /// The exit status if it is the only database.
        package var exitStatus: ExitStatus
        /// The failure, if no error was thrown.
        package var failure: Outcome<Detail>.Failure?

        package init(
            _ status: Outcome<Detail>.Status, _ summary: String, _ detail: Detail? = nil,
            exitStatus: ExitStatus = .success
        ) {
            self.status = status
            self.summary = summary
            self.detail = detail
            self.exitStatus = exitStatus
        }
    }

    /// The command's name, for the report.
    let command: String
    let databases: [OperatedDatabase]
    /// The maximum number of databases at a time.
    let limit: Int
    /// Processes one database.
    let work: @Sendable (OperatedDatabase) async throws -> Result

    /// - Parameters:
    ///   - command: The command's name, for the report.
    ///   - databases: The databases.
    ///   - limit: The maximum number of databases at a time.
    ///   - work: Processes one database.
    package init(
        command: String, databases: [OperatedDatabase], limit: Int,
        work: @escaping @Sendable (OperatedDatabase) async throws -> Result
    ) {
        self.command = command
        self.databases = databases
        self.limit = limit
        self.work = work
    }

    /// Processes all databases.
    ///
    /// - Parameter report: Called for each database, in the order in which they finish, also for those that finish
    ///   after an interruption, and those whose work was interrupted.
    /// - Returns: The outcomes, in the order of the databases.
    /// - Throws: `CancellationError` if it is interrupted; finished databases have been reported. The first error of
    ///   `report`.
    package func run(report: (Outcome<Detail>) throws -> Void) async throws -> [Outcome<Detail>] {
        var outcomes: [Int: Outcome<Detail>] = [:]
        var failure: (any Error)?
        await withTaskGroup(of: (Int, Outcome<Detail>).self) { group in
            var rest = databases.enumerated().makeIterator()
            func begin() {
                guard let (index, database) = rest.next() else { return }
                group.addTask { (index, await outcome(of: database)) }
            }
            for _ in 0..<max(1, limit) { begin() }
            while let (index, outcome) = await group.next() {
                do {
                    try report(outcome)
                    guard !outcome.isInterrupted else { throw CancellationError() }
                    outcomes[index] = outcome
                    try Task.checkCancellation()
                    if failure == nil { begin() }
                } catch {
                    failure = failure ?? error
                    group.cancelAll()
                }
            }
        }
        if let failure { throw failure }
        return databases.indices.compactMap { outcomes[$0] }
    }

    private func outcome(of database: OperatedDatabase) async -> Outcome<Detail> {
        let start = (Date.now, ContinuousClock.now)
        do {
            if let obstacle = database.obstacle { throw obstacle }
            let result = try await work(database)
            return Outcome(command, database, result, since: start)
        } catch {
            // An error without a report comes from a configuration.
            let report = ErrorReport(error) ?? ErrorReport(unknown: error)
            var outcome = Outcome<Detail>(
                command, database, .init(.failed, report.code, exitStatus: report.status), since: start)
            outcome.isInterrupted = error is CancellationError
            outcome.error = Outcome.Failure(code: report.code, message: report.message)
            return outcome
        }
    }
}

extension Outcome {
    fileprivate init(
        _ command: String, _ database: OperatedDatabase, _ result: FamilyRun<Detail>.Result,
        since start: (date: Date, clock: ContinuousClock.Instant)
    ) {
        self.command = command
        self.database = database.name.fileName
        path = database.path
        status = result.status
        summary = result.summary
        detail = result.detail
        error = result.failure
        exitStatus = result.exitStatus
        (self.start, end) = (start.date, .now)
        duration = ContinuousClock.now - start.clock
        milliseconds = duration.milliseconds
    }
}

extension Duration {
    /// For JSON, with microseconds.
    package var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1_000
    }
}
