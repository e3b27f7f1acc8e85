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
    private struct Course: Sendable {
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
            try await prove(Course(index: index, isDown: false, title: "migration \"\(version)\""))
            guard index > 0, migration.down != nil else { continue }
            try await prove(Course(index: index, isDown: true, title: "the downgrade from \"\(version)\""))
        }
    }

    private func prove(_ course: Course) async throws {
        guard let straight = try await straightRun(course) else { return }
        let count = straight.statements.count
        if straight.points.count <= count {
            report.leftOut.append(
                """
                \(course.title) has \(count.counting("statement")), and was interrupted at \
                \(straight.points.count.counting("place")), evenly
                """
            )
        }
        for number in straight.points {
            let way = number == 0 ? "before its first statement" : "after \"\(straight.statements[number - 1])\""
            try await proveError(course, after: number, straight, way)
            guard let killed = straight.killed[number] else { continue }
            report.interruptions += 1
            try await proveComeback(killed, course, straight, "killed \(way)")
        }
    }

    // MARK: Running the step

    private func start(_ course: Course) throws -> ProofFile {
        if course.isDown { return try stages[course.index].copy() }
        return try course.makesFile ? ProofFile(subject) : stages[course.index - 1].copy()
    }

    private func go(_ course: Course, _ file: ProofFile, _ steps: [Migration]) async throws {
        try await file.using(steps) { store in
            if course.isDown { try await store.migrate(to: version(course.end)) }
        }
    }

    private func straightRun(_ course: Course) async throws -> StraightRun? {
        let statements = Locked<[String]>([])
        let counting = watching(course) { statement in
            if let statement { statements.withLock { $0.append(statement) } }
        }
        let file = try start(course)
        let content = await attempting("\(course.title) cannot be run", on: nil) {
            try await go(course, file, counting)
            return try await sight(file).content
        }
        guard let content else { return nil }
        var straight = StraightRun(content: content)
        straight.statements = statements.withLock { $0 }
        let count = straight.statements.count
        straight.points = Self.interruptionPoints(count)
        if !course.makesFile { straight.killed = try await killed(course, at: Set(straight.points)) }
        return straight
    }

    /// Runs the step again and copies the file after the given numbers of statements.
    private func killed(_ course: Course, at points: Set<Int>) async throws -> [Int: ProofFile] {
        let file = try start(course)
        let seen = Locked<(count: Int, files: [Int: ProofFile])>((0, [:]))
        let copying = watching(course) { _ in
            let count = seen.withLock { $0.count }
            // Not while the lock is held: copying takes long.
            let copy = points.contains(count) ? try file.copy() : nil
            seen.withLock { seen in
                seen.count += 1
                seen.files[count] = copy
            }
        }
        let what = "\(course.title) cannot be run"
        let isDone: Void? = await attempting(what, on: nil) { try await go(course, file, copying) }
        return isDone == nil ? [:] : seen.withLock { $0.files }
    }

    /// The migrations up to one, which reports each statement before it runs, and nil at its end.
    private func watching(_ course: Course, _ observe: @escaping @Sendable (String?) throws -> Void) -> [Migration] {
        func watched(_ step: @escaping Migration.Step) -> Migration.Step {
            { db in
                if db.isDryRun { return try step(db) }
                try db.watchingStatements { sql, _ in
                    try observe(sql)
                } _: {
                    try step(db)
                    try observe(nil)
                }
            }
        }
        let migration = migrations[course.index]
        let (up, down) = (migration.up, migration.down)
        let both = Migration(
            migration.version, course.isDown ? up : watched(up), down: course.isDown ? down.map(watched) : down)
        return migrations[..<course.index] + [both]
    }

    // MARK: Interrupting the step

    /// A statement fails, as on a full disk, and so do all following ones.
    private func proveError(_ course: Course, after count: Int, _ straight: StraightRun, _ way: String) async throws {
        let file = try start(course)
        let limit = StatementLimit(count)
        let failing = watching(course) { try limit.count($0) }
        let didFinish: Bool
        do {
            try await go(course, file, failing)
            didFinish = true
        } catch {
            didFinish = false
        }
        guard limit.isExceeded else { return }
        report.interruptions += 1
        guard !didFinish else {
            report.add(
                """
                \(course.title) is not rolled back when one of its statements fails: it catches the error and \
                continues, and the version is recorded without that statement's work; rethrow errors (no `try?`)
                """, on: way)
            return
        }
        try await proveComeback(file, course, straight, way)
    }

    /// The next opening continues the migration, and must have the same result as an uninterrupted run.
    private func proveComeback(
        _ file: ProofFile, _ course: Course, _ straight: StraightRun, _ way: String
    ) async throws {
        var seen: Sight?
        if course.isDown {
            // The file must still be at the version before, with all its data.
            guard
                try await inspect(at: file, through: course.index, since: course.index, on: "interrupted \(way)") != nil
            else { return }
            let again: Void? = await attempting("\(course.title) cannot be run after an interruption", on: way) {
                try await go(course, file, steps(through: course.index))
            }
            guard again != nil else { return }
            seen = try await inspect(at: file, through: course.end, since: nil, on: "interrupted \(way)")
        } else {
            let origin = course.makesFile ? nil : course.index - 1
            seen = try await inspect(at: file, through: course.index, since: origin, on: "interrupted \(way)")
        }
        guard let seen else { return }
        let (here, there) = (
            "a file whose migration was interrupted and run again", "one whose migration ran in one go"
        )
        let differences = try await lastingDifferences(seen.content, straight.content, here: here, there: there) {
            let again = try start(course)
            try await go(course, again, steps(through: course.index))
            return try await sight(again).content
        }
        for difference in differences {
            report.add(
                """
                \(course.title) does not recover from an interruption: \(difference); it must not depend on \
                anything or change anything outside of its transaction
                """, on: way)
        }
    }
}
