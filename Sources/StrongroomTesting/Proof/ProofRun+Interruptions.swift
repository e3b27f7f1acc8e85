import Foundation
import Strongroom

extension ProofRun {
    /// The most places at which one migration is interrupted; a longer one is interrupted at so many, evenly.
    private static let mostInterruptions = 100

    /// One step of a migration, which is interrupted.
    private struct Course: Sendable {
        /// The migration's place.
        let place: Int
        let isDown: Bool
        /// How messages call it.
        let title: String

        /// The place of the version that it leads to.
        var end: Int { isDown ? place - 1 : place }
        /// Whether it makes the file, which then lies under another name until it is whole.
        var makesFile: Bool { !isDown && place == 0 }
    }

    /// A step that ran in one go, and what it left at every instant.
    private struct StraightRun {
        var statements: [String] = []
        /// After how many statements it is interrupted.
        var places: [Int] = []
        /// The file as a killed process would leave it at these places; empty for a file that is new.
        var killed: [Int: ProofFile] = [:]
        var content: TableContent
    }

    /// Each migration is interrupted before its first statement and after each one, upwards and downwards: by an error,
    /// and as if the process were killed. It comes back to what it makes in one go.
    func proveInterruptions() async throws {
        for (place, migration) in migrations.enumerated() {
            let version = migration.version
            try await prove(Course(place: place, isDown: false, title: "migration \"\(version)\""))
            guard place > 0, migration.down != nil else { continue }
            try await prove(Course(place: place, isDown: true, title: "the way down from \"\(version)\""))
        }
    }

    private func prove(_ course: Course) async throws {
        guard let straight = try await straightRun(course) else { return }
        let count = straight.statements.count
        if straight.places.count <= count {
            report.leftOut.append(
                """
                \(course.title) has \(count) statements, and was interrupted at \(straight.places.count) places, evenly
                """
            )
        }
        for number in straight.places {
            let way = number == 0 ? "before its first statement" : "after \"\(straight.statements[number - 1])\""
            try await proveError(course, after: number, straight, way)
            guard let killed = straight.killed[number] else { continue }
            report.interruptions += 1
            try await proveComeback(killed, course, straight, "killed \(way)")
        }
    }

    // MARK: Going the step

    private func start(_ course: Course) throws -> ProofFile {
        if course.isDown { return try stages[course.place].copy() }
        return try course.makesFile ? ProofFile(subject) : stages[course.place - 1].copy()
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
        let places = min(count + 1, Self.mostInterruptions)
        straight.places = (0..<places).map { $0 * (count + 1) / places }
        if !course.makesFile { straight.killed = try await killed(course, at: Set(straight.places)) }
        return straight
    }

    /// Goes the step once more and copies the file as it lies there after so many statements.
    private func killed(_ course: Course, at places: Set<Int>) async throws -> [Int: ProofFile] {
        let file = try start(course)
        let seen = Locked<(count: Int, files: [Int: ProofFile])>((0, [:]))
        let copying = watching(course) { _ in
            let count = seen.withLock { $0.count }
            // Not inside the lock: it takes long.
            let copy = places.contains(count) ? try file.copy() : nil
            seen.withLock { seen in
                seen.count += 1
                seen.files[count] = copy
            }
        }
        let what = "\(course.title) cannot be run"
        let isDone: Void? = await attempting(what, on: nil) { try await go(course, file, copying) }
        return isDone == nil ? [:] : seen.withLock { $0.files }
    }

    /// The migrations up to one, which tells of each statement before it runs, and, with nil, of its end.
    private func watching(_ course: Course, _ tell: @escaping @Sendable (String?) throws -> Void) -> [Migration] {
        func watched(_ step: @escaping Migration.Step) -> Migration.Step {
            { db in
                if db.isRehearsal { return try step(db) }
                try db.watchingStatements { sql, _ in
                    try tell(sql)
                } _: {
                    try step(db)
                    try tell(nil)
                }
            }
        }
        let migration = migrations[course.place]
        let (up, down) = (migration.up, migration.down)
        let both = Migration(
            migration.version, course.isDown ? up : watched(up), down: course.isDown ? down.map(watched) : down)
        return migrations[..<course.place] + [both]
    }

    // MARK: Interrupting it

    /// A statement fails, as it does on a full disk, and so do all that follow.
    private func proveError(_ course: Course, after count: Int, _ straight: StraightRun, _ way: String) async throws {
        let file = try start(course)
        let state = Locked<(ran: Int, didThrow: Bool)>((0, false))
        let failing = watching(course) { statement in
            try state.withLock { state in
                // A step that has caught the error comes to its end.
                if statement == nil, state.didThrow { return }
                guard state.ran < count else {
                    state.didThrow = true
                    throw Interruption(statements: count)
                }
                state.ran += 1
            }
        }
        let didFinish: Bool
        do {
            try await go(course, file, failing)
            didFinish = true
        } catch {
            didFinish = false
        }
        guard state.withLock({ $0.didThrow }) else { return }
        report.interruptions += 1
        guard !didFinish else {
            report.add(
                """
                \(course.title) is not undone when one of its statements fails: it catches the error and goes on, and \
                the version is recorded without that statement's work; let errors through (no `try?`)
                """, on: way)
            return
        }
        try await proveComeback(file, course, straight, way)
    }

    /// The next opening goes on, and comes to what one go makes.
    private func proveComeback(
        _ file: ProofFile, _ course: Course, _ straight: StraightRun, _ way: String
    ) async throws {
        var seen: Sight?
        if course.isDown {
            // The file is still at the version before, with everything in it.
            guard try await look(at: file, through: course.place, since: course.place, on: "interrupted \(way)") != nil
            else { return }
            let again: Void? = await attempting("\(course.title) cannot be gone after an interruption", on: way) {
                try await go(course, file, steps(through: course.place))
            }
            guard again != nil else { return }
            seen = try await look(at: file, through: course.end, since: nil, on: "interrupted \(way)")
        } else {
            let origin = course.makesFile ? nil : course.place - 1
            seen = try await look(at: file, through: course.place, since: origin, on: "interrupted \(way)")
        }
        guard let seen else { return }
        let (here, there) = (
            "a file whose migration was interrupted and run again", "one whose migration ran in one go"
        )
        let differences = try await lastingDifferences(seen.content, straight.content, here: here, there: there) {
            let again = try start(course)
            try await go(course, again, steps(through: course.place))
            return try await sight(again).content
        }
        for difference in differences {
            report.add(
                """
                \(course.title) does not come back from an interruption: \(difference); it must depend on nothing and \
                change nothing outside of its transaction
                """, on: way)
        }
    }
}
