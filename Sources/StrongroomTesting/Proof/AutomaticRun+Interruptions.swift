import Strongroom

extension AutomaticRun {
    /// A migration that is interrupted.
    private struct Course: Sendable {
        /// The file; nil for a new one, which has another name until it is complete.
        let origin: Origin?

        var keys: [Key] { [origin?.key ?? .numbered(1)] }
        /// The title for messages.
        var title: String { origin.map { "the migration of \($0.title)" } ?? "the creation of a file" }
    }

    /// Interrupts the migration of a file before its first statement and after each one: by an error, and as if the
    /// process were killed. The file must be as before, and a further opening must have the same result as an
    /// uninterrupted one.
    func proveInterruptions(of origin: Origin) async throws {
        try await prove(Course(origin: origin))
    }

    /// The same for a new file, by errors.
    func proveInterruptionsOfCreation() async throws {
        try await prove(Course(origin: nil))
    }

    private func prove(_ course: Course) async throws {
        let statements = Locked<[String]>([])
        let file = try start(course)
        let straight = await attempting("\(course.title) cannot be run", on: nil) {
            try await run(course, file) { statement in
                if let statement { statements.withLock { $0.append(statement) } }
            }
            return try await sight(file, keys: course.keys)
        }
        let ran = statements.withLock { $0 }
        guard let straight, !ran.isEmpty else { return }
        let points = ProofRun.interruptionPoints(ran.count)
        if points.count <= ran.count {
            report.leftOut.append(
                """
                \(course.title) has \(ran.count.counting("statement")), and was interrupted at \
                \(points.count.counting("place")), evenly
                """)
        }
        let killed = course.origin == nil ? [:] : try await killed(course, at: Set(points))
        for number in points {
            let way = number == 0 ? "before its first statement" : "after \"\(ran[number - 1])\""
            try await proveError(course, after: number, straight, way)
            guard let copy = killed[number] else { continue }
            report.interruptions += 1
            try await proveComeback(copy, course, straight, "killed \(way)")
        }
    }

    private func start(_ course: Course) throws -> ProofFile {
        try course.origin.map { try $0.file.copy() } ?? ProofFile(subject)
    }

    /// Migrates a file, and reports each statement before it runs, and nil at the end.
    private func run(
        _ course: Course, _ file: ProofFile, _ observe: @escaping @Sendable (String?) throws -> Void
    ) async throws {
        try await file.using(migrator: today.migrator.watchingChanges(observe), keys: course.keys) { _ in }
    }

    /// Runs the migration again and copies the file after the given numbers of statements.
    private func killed(_ course: Course, at points: Set<Int>) async throws -> [Int: ProofFile] {
        let file = try start(course)
        let seen = Locked<(count: Int, files: [Int: ProofFile])>((0, [:]))
        let isDone: Void? = await attempting("\(course.title) cannot be run", on: nil) {
            try await run(course, file) { _ in
                let count = seen.withLock { $0.count }
                // Not while the lock is held: copying takes long.
                let copy = points.contains(count) ? try file.copy() : nil
                seen.withLock { seen in
                    seen.count += 1
                    seen.files[count] = copy
                }
            }
        }
        return isDone == nil ? [:] : seen.withLock { $0.files }
    }

    /// A statement fails, as on a full disk, and so do all following ones.
    private func proveError(_ course: Course, after count: Int, _ straight: Sight, _ way: String) async throws {
        let file = try start(course)
        let limit = StatementLimit(count)
        let didFinish: Bool
        do {
            try await run(course, file) { try limit.count($0) }
            didFinish = true
        } catch {
            didFinish = false
        }
        guard limit.isExceeded else { return }
        report.interruptions += 1
        guard !didFinish else {
            return report.add("\(course.title) is not rolled back when one of its statements fails", on: way)
        }
        try await proveComeback(file, course, straight, way)
    }

    /// The file is as before, and the next opening must have the same result as an uninterrupted migration.
    private func proveComeback(_ file: ProofFile, _ course: Course, _ straight: Sight, _ way: String) async throws {
        if let origin = course.origin {
            let found = await attempting("a file cannot be read after an interruption", on: way) {
                try await sight(try file.copy(), keys: course.keys)
            }
            guard let found else { return }
            let (here, there) = ("the interrupted file", "the file before")
            let differences =
                found.schema.differences(from: origin.sight.schema, here: here, there: there)
                + found.content.differences(from: origin.sight.content, here: here, there: there).map(\.text)
            for difference in differences {
                report.add(
                    "\(course.title) leaves a part of its changes when it is interrupted: \(difference)", on: way)
            }
        }
        let plantings = course.origin.map { self.plantings(at: $0.version) } ?? []
        let seen = try await migrate(
            file, from: nil, plantings: plantings, with: today, keys: course.keys,
            on: "interrupted \(way)", title: course.origin?.title ?? "a new file")
        guard let seen else { return }
        let (here, there) = ("a file whose migration was interrupted", "one whose migration ran in one go")
        let content = try await lastingDifferences(seen.content, straight.content, here: here, there: there) {
            let again = try start(course)
            try await run(course, again) { _ in }
            return try await sight(again, keys: course.keys).content
        }
        for difference in seen.schema.differences(from: straight.schema, here: here, there: there) + content {
            report.add("\(course.title) does not recover from an interruption: \(difference)", on: way)
        }
    }
}
