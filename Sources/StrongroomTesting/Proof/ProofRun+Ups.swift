import Strongroom

extension ProofRun {
    /// A new file must have the same schema and content as one that ran every migration.
    func proveFreshFile() async throws {
        guard let tables else {
            try await proveRecords(in: stages[last].copy(), on: "a file that ran every migration")
            return
        }
        let (fresh, migrated) = ("a fresh file", "a file that ran every migration")
        let file = try ProofFile(subject)
        let seen = await attempting("a fresh file cannot be created", on: nil) {
            try await file.using(migrations, tables: tables) { store in
                try await Snapshot.read(store).snapshot
            }
        }
        guard let seen else { return }
        for difference in seen.schema.differences(from: schemas[last], here: fresh, there: migrated) {
            report.add(difference, on: nil)
        }
        guard let straight = try await content(afterRunning: migrations) else { return }
        let differences = try await lastingDifferences(seen.content, straight, here: fresh, there: migrated) {
            try await content(afterRunning: migrations)
        }
        for difference in differences {
            report.add("\(difference): a fresh file runs no migration, and gets no row from one", on: nil)
        }
        try await proveThatNothingChanges(file, on: fresh, tables: tables)
        try await proveRecords(in: file, on: fresh)
    }

    private func content(afterRunning steps: [Migration]) async throws -> TableContent? {
        let file = try ProofFile(subject)
        return try await file.using(steps) { store in try await store.read { db in try TableContent(in: db) } }
    }

    /// Tests every pair of versions, directly and step by step.
    func proveUps() async throws {
        for start in migrations.indices {
            for end in migrations.indices where end > start {
                let file = try stages[start].copy()
                let way = "\(version(start)) → \(version(end))"
                guard try await inspect(at: file, through: end, since: start, on: way) != nil else { continue }
                report.ups.append(way)
                guard end == last else { continue }
                try await proveThatNothingChanges(file, on: way)
                try await proveRecords(in: file, on: way)
            }
            try await proveOneByOne(from: start)
        }
        try await proveThatNothingChanges(stages[last].copy(), on: "at \"\(version(last))\"")
        try await proveRecords(in: stages[last].copy(), on: "at \"\(version(last))\"")
    }

    private func proveOneByOne(from start: Int) async throws {
        let file = try stages[start].copy()
        var way = version(start)
        var previous = contents[start]
        for end in migrations.indices where end > start {
            way += " → \(version(end))"
            // The first step is itself a pair.
            guard let snapshot = try await inspect(at: file, through: end, since: start, on: way) else { return }
            let changes = previous?.changes(in: snapshot.content).map { "\(version(end)): \($0)" } ?? []
            report.changes += changes.filter { !report.changes.contains($0) }
            previous = snapshot.content
            if end > start + 1 { report.ups.append(way) }
        }
    }

    /// Opens a file at the newest version once more.
    private func proveThatNothingChanges(_ file: ProofFile, on way: String, tables: [TableSchema]? = nil) async throws {
        let what = "a file of the newest version cannot be opened once more"
        let seen = await attempting(what, on: way) {
            let before = try await snapshot(file)
            let applied = try await file.using(migrations, tables: tables) { store in
                store.openReport.migration?.applied ?? []
            }
            return (before, applied, try await snapshot(file))
        }
        guard let (before, applied, after) = seen else { return }
        if !applied.isEmpty {
            report.add("migrations run a second time: \(applied.joined(separator: ", "))", on: way)
        }
        reportChanges(from: before, to: after, on: way)
    }

    /// Reads and writes the records of every named table, in a file that is discarded.
    private func proveRecords(in file: ProofFile, on way: String) async throws {
        let migrator = Migrator(tables: tables) { migrations }.whenChanged(.ignore)
        try await proveRecords(in: file, with: migrator, keys: [.numbered(1)], on: way)
    }
}
