import Strongroom
import TestData

/// A work that changes a file: each run has a fresh copy, and is shown to have left the right rows behind.
struct WriteWork<T: SampleTable> {
    private let workplace: Workplace
    private let template: Workplace.File
    private let expected: Summary
    /// A file as each run leaves it.
    private let made: Workplace.File

    /// - Parameters:
    ///   - before: The rows that are there.
    ///   - after: The rows that are to be there in the end.
    init(
        on table: T.Type,
        in workplace: Workplace,
        before: [Sample] = [],
        after: [Sample]
    ) async throws {
        self.workplace = workplace
        template = try await workplace.makeFile(of: table, before)
        made = try await workplace.makeFile(of: table, after)
        expected = Summary(after)
    }

    /// Strongroom's run.
    ///
    /// - Parameter closing: Whether the time until the file is closed counts, and with it that of the checkpoint, which
    ///   the engine makes inside the commit, and Strongroom after it.
    func ours(closing: Bool = false, _ body: @escaping (Store) async throws -> Void) -> Measure.Run {
        {
            let file = try template.copy()
            let store = try await file.open()
            let duration = try await ContinuousClock().measure {
                try await body(store)
                if closing { try await store.close() }
            }
            if !closing { try await store.close() }
            try finish(file)
            return duration
        }
    }

    /// Another way of Strongroom's to do the same.
    func other(_ name: String, target: Double, _ body: @escaping (Store) async throws -> Void) -> Measure.Side {
        Measure.Side(name: name, target: target, run: ours(body))
    }

    /// The C baseline's.
    func rival(
        target: Double, closing: Bool = false, _ body: @escaping (Rival) throws -> Void
    ) -> Measure.Side {
        Measure.Side(name: "C", target: target) {
            let file = try template.copy()
            let rival = try file.openRival()
            let duration = try ContinuousClock().measure {
                try body(rival)
                if closing { rival.close() }
            }
            try finish(file)
            return duration
        }
    }

    /// What the pages of the table need at least.
    func machineLimit(_ pages: MachineLimit.Pages) -> Measure.Run {
        { try MachineLimit.pages(pages, of: made.path) }
    }

    /// What commits need at least that follow each other.
    func machineLimit(commits count: Int) -> Measure.Run {
        { try MachineLimit.commits(count, in: workplace.directory) }
    }

    /// GRDB's, where it is measured.
    func grdb(target: Double, _ work: Work) -> Measure.Side? {
        grdb(GRDBProcess.name, target: target, work)
    }

    /// The same with records that are encoded by hand.
    func grdbByHand(_ work: Work) -> Measure.Side? {
        grdb(GRDBProcess.nameByHand, target: nil, work)
    }

    private func grdb(_ name: String, target: Double?, _ work: Work) -> Measure.Side? {
        workplace.grdb.map { process in
            Measure.Side(name: name, target: target) {
                let file = try template.copy()
                let report = try process.run(work, on: file)
                try finish(file)
                return report.duration
            }
        }
    }

    private func finish(_ file: Workplace.File) throws {
        try file.openRival().summary(of: T.self).check(expected)
        try file.remove()
    }
}
