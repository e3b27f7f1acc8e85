import Strongroom

extension AutomaticRun {
    /// A migration that is interrupted.
    private struct Step: Sendable {
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
        try await prove(Step(origin: origin))
    }

    /// The same for a new file, by errors.
    func proveInterruptionsOfCreation() async throws {
        try await prove(Step(origin: nil))
    }

    private func prove(_ step: Step) async throws {
        let statements = Locked<[String]>([])
        let file = try start(step)
        let straight = await attempting("\(step.title) cannot be run", on: nil) {
            try await run(step, file) { statement in
                if let statement { statements.withLock { $0.append(statement) } }
            }
            return try await snapshot(file, keys: step.keys)
        }
        let ran = statements.withLock { $0 }
        guard let straight, !ran.isEmpty else { return }
        let points = ProofRun.interruptionPoints(ran.count)
        if points.count <= ran.count {
            report.leftOut.append(
                """
                \(step.title) has \(ran.count.counting("statement")), and was interrupted at \
                \(points.count.counting("point")), evenly
                """)
        }
        let killed = step.origin == nil ? [:] : try await killed(step, at: Set(points))
        for number in points {
            let way = number == 0 ? "before its first statement" : "after \"\(ran[number - 1])\""
            try await proveError(step, after: number, straight, way)
            guard let copy = killed[number] else { continue }
            report.interruptions += 1
            try await proveRecovery(copy, step, straight, "killed \(way)")
        }
    }

    private func start(_ step: Step) throws -> ProofFile {
        try step.origin.map { try $0.file.copy() } ?? ProofFile(subject)
    }

    /// Migrates a file, and reports each statement before it runs, and nil at the end.
    private func run(
        _ step: Step, _ file: ProofFile, _ observe: @escaping @Sendable (String?) throws -> Void
    ) async throws {
        try await file.using(migrator: today.migrator.watchingChanges(observe), keys: step.keys) { _ in }
    }

    /// Runs the migration again and copies the file after the given numbers of statements.
    private func killed(_ step: Step, at points: Set<Int>) async throws -> [Int: ProofFile] {
        let file = try start(step)
        let seen = Locked<(count: Int, files: [Int: ProofFile])>((0, [:]))
        let isDone: Void? = await attempting("\(step.title) cannot be run", on: nil) {
            try await run(step, file) { _ in
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
    private func proveError(_ step: Step, after count: Int, _ straight: Snapshot, _ way: String) async throws {
        let file = try start(step)
        let limit = StatementLimit(count)
        let didFinish: Bool
        do {
            try await run(step, file) { try limit.count($0) }
            didFinish = true
        } catch {
            didFinish = false
        }
        guard limit.isExceeded else { return }
        report.interruptions += 1
        guard !didFinish else {
            return report.add("\(step.title) is not rolled back when one of its statements fails", on: way)
        }
        try await proveRecovery(file, step, straight, way)
    }

    /// The file is as before, and the next opening must have the same result as an uninterrupted migration.
    private func proveRecovery(_ file: ProofFile, _ step: Step, _ straight: Snapshot, _ way: String) async throws {
        if let origin = step.origin {
            let found = await attempting("a file cannot be read after an interruption", on: way) {
                try await snapshot(try file.copy(), keys: step.keys)
            }
            guard let found else { return }
            let (here, there) = ("the interrupted file", "the file before")
            let differences =
                found.schema.differences(from: origin.snapshot.schema, here: here, there: there)
                + found.content.differences(from: origin.snapshot.content, here: here, there: there).map(\.text)
            for difference in differences {
                report.add(
                    "\(step.title) leaves a part of its changes when it is interrupted: \(difference)", on: way)
            }
        }
        let plantings = step.origin.map { self.plantings(at: $0.version) } ?? []
        let seen = try await migrate(
            file, from: nil, plantings: plantings, with: today, keys: step.keys,
            on: "interrupted \(way)", title: step.origin?.title ?? "a new file")
        guard let seen else { return }
        let (here, there) = ("a file whose migration was interrupted", "one whose migration ran in one go")
        let content = try await lastingDifferences(seen.content, straight.content, here: here, there: there) {
            let again = try start(step)
            try await run(step, again) { _ in }
            return try await snapshot(again, keys: step.keys).content
        }
        for difference in seen.schema.differences(from: straight.schema, here: here, there: there) + content {
            report.add("\(step.title) does not recover from an interruption: \(difference)", on: way)
        }
    }
}
