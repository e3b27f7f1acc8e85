import Foundation
import Strongroom

/// A running proof: its files and its results.
final class ProofRun {
    let proof: MigrationProof
    let subject: ProofSubject
    /// Oldest first; at least one.
    let migrations: [Migration]
    /// The tables of a new file; nil if it runs every migration.
    let tables: [TableSchema]?
    var report = MigrationProof.Report()

    /// The schemas of each version, created by running every migration on an empty file.
    var schemas: [SchemaDescription] = []
    /// A file at each version, with the data planted at it.
    var stages: [ProofFile] = []
    /// The number of records of each table that were read or written.
    var recordCounts: [String: Int] = [:]

    init(_ proof: MigrationProof) throws {
        self.proof = proof
        let target = type(of: proof.configuration).target
        subject = ProofSubject(
            configuration: proof.configuration, name: try DatabaseName(proof.database ?? "\(target).sqlite"))
        guard let migrator = try proof.configuration.migrator(for: subject.name), !migrator.migrations.isEmpty else {
            throw StrongroomError(
                .invalidMigrator,
                "The configuration gives no migrator, or one without a migration; there is nothing to prove.",
                database: subject.name.fileName)
        }
        migrations = migrator.migrations
        tables = migrator.tables
    }

    var last: Int { migrations.count - 1 }
    func version(_ index: Int) -> String { migrations[index].version }
    func index(of version: String) -> Int? { migrations.firstIndex { $0.version == version } }
    func steps(through index: Int) -> [Migration] { Array(migrations[...index]) }

    /// Tests everything that can be tested; tests that depend on a version that cannot be created are left out.
    func all() async throws {
        for planting in proof.plantings { check(planting) }
        guard try await makeSchemas(), try await makeStages() else { return }
        try await proveFreshFile()
        try await proveUps()
        try await proveDowns()
        try await proveInterruptions()
        try await proveRotation()
        try await proveFixtures()
        reportUnprovedRecords()
    }

    /// Adds a fault for data of an unknown version, or with an `oldest` version that is not earlier than its own.
    private func check(_ planting: Planting) {
        guard let own = index(of: planting.version) else {
            return report.add(
                "data is planted at \"\(planting.version)\" (\(planting.place)), which is no version of the migrator",
                on: nil)
        }
        guard let oldest = planting.oldest, index(of: oldest).map({ $0 >= own }) ?? true else { return }
        report.add(
            """
            what is planted at "\(planting.version)" (\(planting.place)) is to be right back to "\(oldest)", which is \
            no version before it
            """,
            on: nil)
    }

    /// Adds a fault for an error of the work, except for errors of the kit itself.
    ///
    /// - Returns: The result of the work; nil if it threw.
    func attempting<T: Sendable>(_ what: String, on way: String?, _ work: () async throws -> T) async -> T? {
        do {
            return try await work()
        } catch {
            // The message contains an error of the library, but not an error of a migration.
            let underlying = (error as? StrongroomError)?.underlying
            let cause = underlying.map { $0 is StrongroomError ? "" : " (\($0))" } ?? ""
            // Removes the path of the temporary directory, so that one fault on several paths has one text.
            let text = "\(error)\(cause)".replacing(/"[^"]*\/strongroom-[0-9A-F-]{36}\//, with: "\"")
            report.add("\(what): \(text)", on: way)
            return nil
        }
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
            let made: Void? = await attempting("data cannot be planted at \"\(version)\"", on: nil) {
                try await file.using(steps(through: index)) { store in
                    for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
                }
            }
            guard made != nil else { return false }
            stages.append(file)
            _ = try await inspect(at: file, through: index, since: index, on: "at \"\(version)\"")
        }
        return true
    }

    // MARK: Checking a file

    /// The content of a file.
    struct Sight: Sendable {
        let schema: SchemaDescription
        let content: TableContent
    }

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
    ) async throws -> Sight? {
        let version = version(index)
        let plantings = proof.plantings.filter { planting in
            origin.map { self.version($0) == planting.version && isWanted(planting, at: index) } ?? false
        }
        let what = "a file cannot be migrated to \"\(version)\""
        let seen = await attempting(what, on: way) {
            try await file.using(steps(through: index), keys: keys, rotation: rotation, changes: changes) { store in
                let (sight, faults) = try await store.read { db in
                    (
                        Sight(schema: try SchemaDescription(in: db), content: try TableContent(in: db)),
                        plantings.compactMap { $0.fault(at: version, in: db) }
                    )
                }
                return (sight, faults + [check(store.opening)].compactMap(\.self))
            }
        }
        guard let (sight, faults) = seen else { return nil }
        for fault in faults { report.add(fault, on: way) }
        let differences = sight.schema.differences(
            from: schemas[index], here: "a file migrated on another path",
            there: "an empty file that ran every migration")
        for difference in differences { report.add("at \"\(version)\" \(difference)", on: way) }
        return sight
    }

    /// Whether planted data must be correct in a file of a version.
    private func isWanted(_ planting: Planting, at index: Int) -> Bool {
        self.index(of: planting.oldest ?? planting.version).map { index >= $0 } ?? false
    }

    /// The differences in the content of two files that should be equal, except for those that differ between runs,
    /// such as timestamps.
    ///
    /// - Parameter again: Creates the second file again.
    func lastingDifferences(
        _ content: TableContent, _ expected: TableContent, here: String, there: String,
        again: () async throws -> TableContent?
    ) async throws -> [String] {
        let found = content.differences(from: expected, here: here, there: there)
        guard !found.isEmpty, let other = try await again() else { return found.map(\.text) }
        let passing = other.differences(from: expected, here: here, there: there)
        return found.filter { difference in
            !passing.contains { $0.table == difference.table && $0.column == difference.column }
        }.map(\.text)
    }
}
