import Strongroom

extension AutomaticRun {
    /// Migrates a file to today's tables: at once, by way of each later release, and by way of all of them.
    ///
    /// - Returns: Whether it can be migrated at once.
    func proveWays(from origin: Origin) async throws -> Bool {
        let later = targets(after: origin.version)
        guard try await proveWay(from: origin, through: []) else { return false }
        for target in later { _ = try await proveWay(from: origin, through: [target]) }
        if later.count > 1 { _ = try await proveWay(from: origin, through: later) }
        return true
    }

    private func proveWay(from origin: Origin, through releases: [Target]) async throws -> Bool {
        let file = try origin.file.copy()
        let isFixture = origin.title.hasPrefix("fixture ")
        var way = isFixture ? origin.title : origin.version
        var (before, version) = (origin.snapshot, origin.version)
        let plantings = plantings(at: origin.version)
        for target in releases + [today] {
            way += " → \(target.version)"
            let after = try await migrate(
                file, from: (before, version), plantings: plantings, with: target, keys: [origin.key], on: way,
                title: origin.title)
            guard let after else { return false }
            (before, version) = (after, target.version)
        }
        compare(before.schema, of: origin, on: way)
        if !isFixture { report.ups.append(way) }
        try await proveThatNothingChanges(file, keys: [origin.key], on: way)
        try await proveRecords(in: file, with: today.migrator, keys: [origin.key], on: way)
        return true
    }

    /// Lets the program of an earlier release open a file that has today's tables, and then today's program, as far as
    /// plantings specify with `backTo:`.
    func proveBacks(of origin: Origin) async throws {
        for (index, release) in releases.enumerated() {
            let wanted = plantings(at: origin.version).filter { planting in
                releases.firstIndex { $0.version == planting.oldest }.map { index >= $0 } ?? false
            }
            guard let migrator = release.migrator, !wanted.isEmpty else { continue }
            let file = try origin.file.copy()
            try await file.using(migrator: today.migrator, keys: [origin.key]) { _ in }
            var (before, version) = (try await snapshot(file, keys: [origin.key]), today.version)
            var way = origin.version == version ? version : "\(origin.version) → \(version)"
            for target in [Target(version: release.version, migrator: migrator), today] {
                way += " → \(target.version)"
                let after = try await migrate(
                    file, from: (before, version), plantings: wanted, with: target, keys: [origin.key], on: way,
                    title: origin.title)
                guard let after else { break }
                (before, version) = (after, target.version)
                if target.version == release.version { report.downs.append(way) }
            }
        }
    }

    /// Opens a file with a migrator, and checks the planted data, and that nothing is lost.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - before: The file before, and its version; nil for a new one.
    ///   - plantings: The data that must be correct.
    ///   - target: What to migrate to.
    ///   - keys: The keys of the file.
    ///   - rotation: The rotation policy; nil for that of the configuration.
    ///   - way: The description of the migration path for messages.
    ///   - title: The title of the file for messages.
    ///   - check: A further check of how the file was opened.
    /// - Returns: The content; nil if it could not be opened.
    func migrate(
        _ file: ProofFile, from before: (snapshot: Snapshot, version: String)?, plantings: [Planting],
        with target: Target, keys: [Key], rotation: RotationPolicy? = nil, on way: String, title: String,
        check: (OpenReport) -> String? = { _ in nil }
    ) async throws -> Snapshot? {
        let version = target.version
        let what = "a file of \(title) cannot be migrated to \"\(version)\""
        let seen = await attempting(what, on: way) {
            try await file.using(migrator: target.migrator, keys: keys, rotation: rotation) { store in
                let (snapshot, faults) = try await Snapshot.read(store, plantings, at: version)
                return (snapshot, faults + [check(store.openReport)].compactMap(\.self))
            }
        }
        guard let (snapshot, faults) = seen else { return nil }
        for fault in faults { report.add(fault, on: way) }
        if let before {
            let losses = before.snapshot.content.losses(in: snapshot.content, migratedTo: target.tables)
            report(losses, from: before.version, to: version, on: way)
        }
        return snapshot
    }

    /// Opens a file with today's tables once more.
    func proveThatNothingChanges(_ file: ProofFile, keys: [Key], on way: String) async throws {
        let what = "a file with today's tables cannot be opened once more"
        let seen = await attempting(what, on: way) {
            let before = try await snapshot(file, keys: keys)
            let changes = try await file.using(migrator: today.migrator, keys: keys) { store in
                store.openReport.migration?.schemaChanges ?? []
            }
            return (before, changes, try await snapshot(file, keys: keys))
        }
        guard let (before, changes, after) = seen else { return }
        for change in changes { report.add("opening a second time migrates the file again: \(change)", on: way) }
        reportChanges(from: before, to: after, on: way)
    }
}
