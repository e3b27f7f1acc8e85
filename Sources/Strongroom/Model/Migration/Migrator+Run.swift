extension Migrator {
    /// Carries out a plan.
    ///
    /// - Throws: ``StrongroomError`` with `migrationFailed`, whose message names the version; the file is then at the
    ///   version before it. `CancellationError`.
    func carryOut(
        _ plan: Plan, on connection: Connection, _ run: MigrationRun = MigrationRun()
    ) throws -> MigrationReport {
        var run = run
        if let progress { run.progress.append(progress) }
        switch plan.work {
        case .create: return try create(on: connection, run)
        case .apply(let indices): return try apply(indices, plan, on: connection, run)
        case .adapt(let changes): return try adapt(changes, plan, on: connection, run)
        case .undo(let indices): return try undo(indices, plan, on: connection, run)
        }
    }

    private func create(on connection: Connection, _ run: MigrationRun) throws -> MigrationReport {
        let newest = newestVersion ?? ""
        let tables = tables ?? []
        _ = try StepRun(version: newest, connection: connection, run: run).carryOut { db in
            for table in tables { try db.createTable(table) }
        } record: { history, duration, _ in
            try history.record(newest, duration: duration, created: true, fingerprint: nil)
        }
        return MigrationReport(from: nil, to: newest, applied: [])
    }

    private func apply(
        _ indices: Range<Int>, _ plan: Plan, on connection: Connection, _ run: MigrationRun
    ) throws -> MigrationReport {
        var steps: [MigrationReport.Step] = []
        for (number, migration) in migrations[indices].enumerated() {
            let step = StepRun(
                version: migration.version, number: number + 1, count: indices.count, connection: connection, run: run,
                previous: steps.last)
            steps.append(
                try step.carryOut(migration.up) { history, duration, fingerprint in
                    try history.record(migration.version, duration: duration, created: false, fingerprint: fingerprint)
                })
        }
        let applied = migrations[indices].map(\.version)
        return MigrationReport(
            from: plan.from, to: applied.last ?? plan.from ?? "", applied: applied, changed: plan.changed, steps: steps)
    }

    private func undo(
        _ indices: Range<Int>, _ plan: Plan, on connection: Connection, _ run: MigrationRun
    ) throws -> MigrationReport {
        var steps: [MigrationReport.Step] = []
        for (number, index) in indices.reversed().enumerated() {
            let (version, before) = (migrations[index].version, migrations[index - 1].version)
            guard let down = migrations[index].down else { break }
            let step = StepRun(
                version: version, isUndoing: true, number: number + 1, count: indices.count, connection: connection,
                run: run, previous: steps.last)
            steps.append(
                try step.carryOut(down) { history, duration, _ in
                    try history.remove(version, leaving: before, duration: duration)
                })
        }
        return MigrationReport(
            from: plan.from, to: migrations[indices.lowerBound - 1].version, applied: [],
            undone: migrations[indices].reversed().map(\.version), changed: plan.changed, steps: steps)
    }
}
