import Foundation
import Strongroom

/// A proof at work: what it has made so far, and what it has found.
final class ProofRun {
    let proof: MigrationProof
    let subject: ProofSubject
    /// Oldest first; at least one.
    let migrations: [Migration]
    /// What a fresh file gets; nil when it runs every migration.
    let tables: [TableSchema]?
    var report = MigrationProof.Report()

    /// The schemas after each version, made by running every migration on an empty file.
    var schemas: [SchemaDescription] = []
    /// A file at each version, with what was planted there.
    var stages: [ProofFile] = []
    /// How many records of each table were read or written.
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
    func version(_ place: Int) -> String { migrations[place].version }
    func place(of version: String) -> Int? { migrations.firstIndex { $0.version == version } }
    func steps(through place: Int) -> [Migration] { Array(migrations[...place]) }

    /// Proves everything that can be proved; what builds on a version that cannot be made is left out.
    func all() async throws {
        for planting in proof.plantings { check(planting) }
        guard try await makeSchemas(), try await makeStages() else { return }
        try await proveFreshFile()
        try await proveUps()
        try await proveDowns()
        try await proveInterruptions()
        try await proveRotation()
        try await proveFixtures()
        noteUnprovedRecords()
    }

    /// Adds a fault for data of a version that is none, or that is to be right after going back to one that is not
    /// before its own.
    private func check(_ planting: Planting) {
        guard let own = place(of: planting.version) else {
            return report.add(
                "data is planted at \"\(planting.version)\" (\(planting.place)), which is no version of the migrator",
                on: nil)
        }
        guard let oldest = planting.oldest, place(of: oldest).map({ $0 >= own }) ?? true else { return }
        report.add(
            """
            what is planted at "\(planting.version)" (\(planting.place)) is to be right back to "\(oldest)", which is \
            no version before it
            """,
            on: nil)
    }

    /// Adds a fault for what work throws, other than the kit's own mistakes.
    ///
    /// - Returns: What the work returns; nil when it threw.
    func attempting<T: Sendable>(_ what: String, on way: String?, _ work: () async throws -> T) async -> T? {
        do {
            return try await work()
        } catch {
            // What the library threw itself stands in its message; what a migration threw does not.
            let underlying = (error as? StrongroomError)?.underlying
            let cause = underlying.map { $0 is StrongroomError ? "" : " (\($0))" } ?? ""
            // Every file has a directory of its own; without it one fault on many ways has one text.
            let text = "\(error)\(cause)".replacing(/"[^"]*\/strongroom-[0-9A-F-]{36}\//, with: "\"")
            report.add("\(what): \(text)", on: way)
            return nil
        }
    }

    // MARK: What everything is compared with

    private func makeSchemas() async throws -> Bool {
        for place in migrations.indices {
            let file = try ProofFile(subject)
            let steps = steps(through: place)
            let what = "an empty file cannot be brought to \"\(version(place))\" by every migration"
            let schema = await attempting(what, on: nil) {
                try await file.using(steps) { store in try await store.read { db in try SchemaDescription(in: db) } }
            }
            guard let schema else { return false }
            schemas.append(schema)
        }
        return true
    }

    private func makeStages() async throws -> Bool {
        for place in migrations.indices {
            let file = try ProofFile(subject)
            let version = version(place)
            let plantings = proof.plantings.filter { $0.version == version }
            let made: Void? = await attempting("data cannot be planted at \"\(version)\"", on: nil) {
                try await file.using(steps(through: place)) { store in
                    for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
                }
            }
            guard made != nil else { return false }
            stages.append(file)
            _ = try await look(at: file, through: place, since: place, on: "at \"\(version)\"")
        }
        return true
    }

    // MARK: Looking at a file

    /// What a file holds.
    struct Sight: Sendable {
        let schema: SchemaDescription
        let content: TableContent
    }

    /// Opens a file, which brings it to a version, and checks the schema and what was planted.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - place: The version's place.
    ///   - origin: The place of the version at which data was planted; nil for a file without.
    ///   - way: How messages call what was done.
    ///   - keys: The keys of the file.
    ///   - rotation: When it is rotated; nil for what the configuration says.
    ///   - changes: What becomes of a file whose migrations were changed.
    ///   - check: More that must hold of how it was opened.
    /// - Returns: What it holds; nil when it could not be opened.
    func look(
        at file: ProofFile, through place: Int, since origin: Int?, on way: String, keys: [Key] = [.numbered(1)],
        rotation: RotationPolicy? = nil, changes: ChangedMigrations = .ignore,
        check: (OpenReport) -> String? = { _ in nil }
    ) async throws -> Sight? {
        let version = version(place)
        let plantings = proof.plantings.filter { planting in
            origin.map { self.version($0) == planting.version && isWanted(planting, at: place) } ?? false
        }
        let what = "a file cannot be brought to \"\(version)\""
        let seen = await attempting(what, on: way) {
            try await file.using(steps(through: place), keys: keys, rotation: rotation, changes: changes) { store in
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
            from: schemas[place], here: "a file that came another way", there: "an empty file that ran every migration")
        for difference in differences { report.add("at \"\(version)\" \(difference)", on: way) }
        return sight
    }

    /// Whether what was planted must be right in a file of a version.
    private func isWanted(_ planting: Planting, at place: Int) -> Bool {
        self.place(of: planting.oldest ?? planting.version).map { place >= $0 } ?? false
    }

    /// What is different in the content of two files that should be the same, but for what differs with every run, such
    /// as the time of day.
    ///
    /// - Parameter again: Makes the second file anew.
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
