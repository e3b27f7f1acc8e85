import Foundation
import Strongroom

/// A running proof of a migrator with steps: its files and its results.
final class ProofRun: ProofResults {
    /// Oldest first; at least one.
    let migrations: [Migration]
    /// The tables of a new file; nil if it runs every migration.
    let tables: [TableSchema]?

    /// The schemas of each version, created by running every migration on an empty file.
    var schemas: [SchemaDescription] = []
    /// A file at each version, with the data planted at it.
    var stages: [ProofFile] = []
    /// The content of these files; nil for one that could not be read.
    var contents: [TableContent?] = []

    init(_ proof: MigrationProof, _ subject: ProofSubject, _ migrator: Migrator) {
        migrations = migrator.migrations
        tables = migrator.tables
        super.init(proof, subject)
    }

    var last: Int { migrations.count - 1 }
    func version(_ index: Int) -> String { migrations[index].version }
    func index(of version: String) -> Int? { migrations.firstIndex { $0.version == version } }
    func steps(through index: Int) -> [Migration] { Array(migrations[...index]) }

    /// Tests everything that can be tested; tests that depend on a version that cannot be created are left out.
    func all() async throws {
        refuseReleases()
        for planting in proof.plantings { check(planting) }
        guard try await makeSchemas(), try await makeStages() else { return }
        try await proveFreshFile()
        try await proveUps()
        try await proveDowns()
        if proof.interrupts { try await proveInterruptions() }
        try await proveRotation()
        try await proveFixtures()
        try await proveStatements(in: stages.indices.map { VersionFile(version: version($0), file: stages[$0]) })
        reportUnprovedRecords(of: tables ?? [])
    }

    /// Adds a fault for what only an automatic migrator has.
    private func refuseReleases() {
        let locations = proof.releases.map(\.location) + proof.removals.map(\.location)
        for location in locations {
            report.add(
                """
                the release or removed column that is declared at \(location) is one of an automatic migrator, and \
                this one has steps, which define the earlier versions
                """, on: nil)
        }
    }

    /// Adds a fault for data of an unknown version, or with an `oldest` version that is not earlier than its own.
    private func check(_ planting: Planting) {
        guard let own = index(of: planting.version) else {
            return report.add(
                """
                data is planted at "\(planting.version)" (\(planting.location)), which is no version of the migrator
                """, on: nil)
        }
        guard let oldest = planting.oldest, index(of: oldest).map({ $0 >= own }) ?? true else { return }
        report.add(
            """
            what is planted at "\(planting.version)" (\(planting.location)) must be correct back to "\(oldest)", which \
            is no version before it
            """,
            on: nil)
    }

    // MARK: Reference files

    private func makeSchemas() async throws -> Bool {
        for index in migrations.indices {
            let file = try ProofFile(subject)
            let steps = steps(through: index)
            let what = "an empty file cannot be migrated to \"\(version(index))\" by every migration"
            let schema = await attempting(what, on: nil) {
                try await file.using(steps) { store in try await store.read { db in try SchemaDescription(in: db) } }
            }
            guard let schema else { return false }
            schemas.append(schema)
        }
        return true
    }

    private func makeStages() async throws -> Bool {
        for index in migrations.indices {
            let file = try ProofFile(subject)
            let version = version(index)
            let plantings = proof.plantings.filter { $0.version == version }
            let planted: Void? = await attempting("data cannot be planted at \"\(version)\"", on: nil) {
                try await file.using(steps(through: index)) { store in
                    for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
                }
            }
            guard planted != nil else { return false }
            stages.append(file)
            let snapshot = try await inspect(at: file, through: index, since: index, on: "at \"\(version)\"")
            contents.append(snapshot?.content)
        }
        return true
    }

    // MARK: Checking a file

    /// Opens a file, which migrates it to a version, and checks the schema and the planted data.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - index: The index of the version.
    ///   - origin: The index of the version at which data was planted; nil for a file without planted data.
    ///   - way: The description of the migration path for messages.
    ///   - keys: The keys of the file.
    ///   - rotation: The rotation policy; nil for that of the configuration.
    ///   - changes: The policy for a file whose migrations have changed.
    ///   - check: A further check of how the file was opened.
    /// - Returns: The content; nil if it could not be opened.
    func inspect(
        at file: ProofFile, through index: Int, since origin: Int?, on way: String, keys: [Key] = [.numbered(1)],
        rotation: RotationPolicy? = nil, changes: ChangedMigrations = .ignore,
        check: (OpenReport) -> String? = { _ in nil }
    ) async throws -> Snapshot? {
        let version = version(index)
        let plantings = proof.plantings.filter { planting in
            origin.map { self.version($0) == planting.version && isWanted(planting, at: index) } ?? false
        }
        let what = "a file cannot be migrated to \"\(version)\""
        let seen = await attempting(what, on: way) {
            try await file.using(steps(through: index), keys: keys, rotation: rotation, changes: changes) { store in
                let (snapshot, faults) = try await Snapshot.read(store, plantings, at: version)
                return (snapshot, faults + [check(store.openReport)].compactMap(\.self))
            }
        }
        guard let (snapshot, faults) = seen else { return nil }
        for fault in faults { report.add(fault, on: way) }
        let differences = snapshot.schema.differences(
            from: schemas[index], here: "a file migrated on another path",
            there: "an empty file that ran every migration")
        for difference in differences { report.add("at \"\(version)\" \(difference)", on: way) }
        return snapshot
    }

    /// Whether planted data must be correct in a file of a version.
    private func isWanted(_ planting: Planting, at index: Int) -> Bool {
        self.index(of: planting.oldest ?? planting.version).map { index >= $0 } ?? false
    }
}
