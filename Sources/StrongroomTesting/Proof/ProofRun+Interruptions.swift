import Foundation
import Strongroom

extension ProofRun {
    /// The maximum number of interruptions of one migration; a longer migration is interrupted as often, at even
    /// intervals.
    private static let maxInterruptions = 100

    /// The numbers of statements after which a migration of so many is interrupted.
    static func interruptionPoints(_ count: Int) -> [Int] {
        let points = min(count + 1, maxInterruptions)
        return (0..<points).map { $0 * (count + 1) / points }
    }

    /// One step of a migration, which is interrupted.
    private struct Step: Sendable {
        /// The index of the migration.
        let index: Int
        let isDown: Bool
        /// The title for messages.
        let title: String

        /// The index of the version after the step.
        var end: Int { isDown ? index - 1 : index }
        /// Whether it creates the file, which has another name until it is complete.
        var makesFile: Bool { !isDown && index == 0 }
    }

    /// An uninterrupted run of a step, and the file at each interruption point.
    private struct StraightRun {
        var statements: [String] = []
        /// The numbers of statements after which the step is interrupted.
        var points: [Int] = []
        /// The file as a killed process would leave it at these points; empty for a new file.
        var killed: [Int: ProofFile] = [:]
        var content: TableContent
    }

    /// Interrupts each migration before its first statement and after each one, for upgrades and downgrades: by an
    /// error, and as if the process were killed. A further run must have the same result as an uninterrupted one.
    func proveInterruptions() async throws {
        for (index, migration) in migrations.enumerated() {
            let version = migration.version
            try await prove(Step(index: index, isDown: false, title: "migration \"\(version)\""))
            guard index > 0, migration.down != nil else { continue }
            try await prove(Step(index: index, isDown: true, title: "the downgrade from \"\(version)\""))
        }
    }

    private func prove(_ step: Step) async throws {
        guard let straight = try await straightRun(step) else { return }
        let count = straight.statements.count
        if straight.points.count <= count {
            report.leftOut.append(
                """
                \(step.title) has \(count.counting("statement")), and was interrupted at \
                \(straight.points.count.counting("point")), evenly
                """
            )
        }
        for number in straight.points {
            let way = number == 0 ? "before its first statement" : "after \"\(straight.statements[number - 1])\""
            try await proveError(step, after: number, straight, way)
            guard let killed = straight.killed[number] else { continue }
            report.interruptions += 1
            try await proveRecovery(killed, step, straight, "killed \(way)")
        }
    }

    // MARK: Running the step

    private func start(_ step: Step) throws -> ProofFile {
        if step.isDown { return try stages[step.index].copy() }
        return try step.makesFile ? ProofFile(subject) : stages[step.index - 1].copy()
    }

    private func go(_ step: Step, _ file: ProofFile, _ steps: [Migration]) async throws {
        try await file.using(steps) { store in
            if step.isDown { try await store.migrate(to: version(step.end)) }
        }
    }

    private func straightRun(_ step: Step) async throws -> StraightRun? {
        let statements = Locked<[String]>([])
        let counting = watching(step) { statement in
            if let statement { statements.withLock { $0.append(statement) } }
        }
        let file = try start(step)
        let content = await attempting("\(step.title) cannot be run", on: nil) {
            try await go(step, file, counting)
            return try await snapshot(file).content
        }
        guard let content else { return nil }
        var straight = StraightRun(content: content)
        straight.statements = statements.withLock { $0 }
        let count = straight.statements.count
        straight.points = Self.interruptionPoints(count)
        if !step.makesFile { straight.killed = try await killed(step, at: Set(straight.points)) }
        return straight
    }

    /// Runs the step again and copies the file after the given numbers of statements.
    private func killed(_ step: Step, at points: Set<Int>) async throws -> [Int: ProofFile] {
        let file = try start(step)
        let seen = Locked<(count: Int, files: [Int: ProofFile])>((0, [:]))
        let copying = watching(step) { _ in
            let count = seen.withLock { $0.count }
            // Not while the lock is held: copying takes long.
            let copy = points.contains(count) ? try file.copy() : nil
            seen.withLock { seen in
                seen.count += 1
                seen.files[count] = copy
            }
        }
        let what = "\(step.title) cannot be run"
        let isDone: Void? = await attempting(what, on: nil) { try await go(step, file, copying) }
        return isDone == nil ? [:] : seen.withLock { $0.files }
    }

    /// The migrations up to one, which reports each statement before it runs, and nil at its end.
    private func watching(_ step: Step, _ observe: @escaping @Sendable (String?) throws -> Void) -> [Migration] {
        func watched(_ body: @escaping Migration.Step) -> Migration.Step {
            { db in
                if db.isDryRun { return try body(db) }
                try db.watchingStatements { sql, _ in
                    try observe(sql)
                } _: {
                    try body(db)
                    try observe(nil)
                }
            }
        }
        let migration = migrations[step.index]
        let (up, down) = (migration.up, migration.down)
        let both = Migration(
            migration.version, step.isDown ? up : watched(up), down: step.isDown ? down.map(watched) : down)
        return migrations[..<step.index] + [both]
    }

    // MARK: Interrupting the step

    /// A statement fails, as on a full disk, and so do all following ones.
    private func proveError(_ step: Step, after count: Int, _ straight: StraightRun, _ way: String) async throws {
        let file = try start(step)
        let limit = StatementLimit(count)
        let failing = watching(step) { try limit.count($0) }
        let didFinish: Bool
        do {
            try await go(step, file, failing)
            didFinish = true
        } catch {
            didFinish = false
        }
        guard limit.isExceeded else { return }
        report.interruptions += 1
        guard !didFinish else {
            report.add(
                """
                \(step.title) is not rolled back when one of its statements fails: it catches the error and \
                continues, and the version is recorded without that statement's work; rethrow errors (no `try?`)
                """, on: way)
            return
        }
        try await proveRecovery(file, step, straight, way)
    }

    /// The next opening continues the migration, and must have the same result as an uninterrupted run.
    private func proveRecovery(
        _ file: ProofFile, _ step: Step, _ straight: StraightRun, _ way: String
    ) async throws {
        var seen: Snapshot?
        if step.isDown {
            // The file must still be at the version before, with all its data.
            guard
                try await inspect(at: file, through: step.index, since: step.index, on: "interrupted \(way)") != nil
            else { return }
            let again: Void? = await attempting("\(step.title) cannot be run after an interruption", on: way) {
                try await go(step, file, steps(through: step.index))
            }
            guard again != nil else { return }
            seen = try await inspect(at: file, through: step.end, since: nil, on: "interrupted \(way)")
        } else {
            let origin = step.makesFile ? nil : step.index - 1
            seen = try await inspect(at: file, through: step.index, since: origin, on: "interrupted \(way)")
        }
        guard let seen else { return }
        let (here, there) = (
            "a file whose migration was interrupted and run again", "one whose migration ran in one go"
        )
        let differences = try await lastingDifferences(seen.content, straight.content, here: here, there: there) {
            let again = try start(step)
            try await go(step, again, steps(through: step.index))
            return try await snapshot(again).content
        }
        for difference in differences {
            report.add(
                """
                \(step.title) does not recover from an interruption: \(difference); it must not depend on \
                anything or change anything outside of its transaction
                """, on: way)
        }
    }
}
