import Foundation
import Strongroom

/// What a running proof of either kind of migrator has found, and the checks that both have.
class ProofResults {
    let proof: MigrationProof
    let subject: ProofSubject
    var report = MigrationProof.Report()
    /// The number of records of each table that were read or written.
    private var recordCounts: [String: Int] = [:]

    init(_ proof: MigrationProof, _ subject: ProofSubject) {
        self.proof = proof
        self.subject = subject
    }

    /// The content of a file.
    struct Snapshot: Sendable {
        let schema: SchemaDescription
        let content: TableContent

        /// Reads the content of a store, and what was planted in it.
        ///
        /// - Returns: The content, and a message for each planting that is not as expected.
        static func read(
            _ store: Store, _ plantings: [Planting] = [], at version: String = ""
        ) async throws -> (snapshot: Snapshot, faults: [String]) {
            try await store.read { db in
                (
                    Snapshot(schema: try SchemaDescription(in: db), content: try TableContent(in: db)),
                    plantings.compactMap { $0.fault(at: version, in: db) }
                )
            }
        }
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

    /// Reads the content of a file, without a migrator that could change it.
    func snapshot(_ file: ProofFile, keys: [Key] = [.numbered(1)]) async throws -> Snapshot {
        try await file.using(migrator: nil, keys: keys, rotation: .manual) { store in
            try await Snapshot.read(store).snapshot
        }
    }

    /// Reports what opening a file once more has changed.
    func reportChanges(from before: Snapshot, to after: Snapshot, on way: String) {
        let (first, second) = ("the file when it was opened first", "it when it was opened again")
        let differences =
            before.schema.differences(from: after.schema, here: first, there: second)
            + before.content.differences(from: after.content, here: first, there: second).map(\.text)
        for difference in differences { report.add("opening a second time changes the file: \(difference)", on: way) }
    }

    // MARK: Records

    /// Reads and writes the records of every named table, in a file that is discarded.
    func proveRecords(in file: ProofFile, with migrator: Migrator, keys: [Key], on way: String) async throws {
        for record in proof.recordProofs {
            let what = "the records of table \"\(record.tableName)\" cannot be proved"
            let finding = await attempting(what, on: way) {
                try await file.using(migrator: migrator, keys: keys) { store in
                    try await store.write(as: .immediate) { db in try record.prove(db) }
                }
            }
            for fault in finding?.faults ?? [] { report.add(fault, on: way) }
            recordCounts[record.tableName, default: 0] += finding?.count ?? 0
        }
    }

    /// Reports tables whose records were not read.
    func reportUnprovedRecords(of tables: [TableSchema]) {
        let named = Set(proof.recordProofs.map(\.tableName))
        for record in proof.recordProofs where recordCounts[record.tableName] == 0 {
            report.leftOut.append(
                """
                no record of table "\(record.tableName)" was read: plant a row, or pass a sample to \
                `records(of:)`
                """
            )
        }
        for table in tables where !named.contains(table.name) {
            report.leftOut.append("the records of table \"\(table.name)\": name their type with `records(of:)`")
        }
    }

    // MARK: Fixtures

    /// The fixture files that the linked engine can open; the others are reported.
    func fixtures() throws -> [Fixture] {
        guard FileManager.default.fileExists(atPath: proof.fixtures.path) else {
            let text =
                """
                there is no directory "\(proof.fixtures.name)" with fixture files; record one of each released \
                version with `recordFixture(version:)`
                """
            // A test that names a directory expects its content to be tested.
            if proof.fixtures.isNamed { report.add(text, on: nil) } else { report.leftOut.append(text) }
            return []
        }
        let engine = try EngineFeatures.current().cipherMajorVersion
        return try Fixture.all(in: proof.fixtures.path).filter { fixture in
            guard let cipher = fixture.cipher, cipher > engine else { return true }
            report.leftOut.append(
                """
                fixture \(fixture.name): its format is SQLCipher \(cipher)'s, which the linked SQLCipher \
                \(engine) cannot read
                """
            )
            return false
        }
    }

    /// The key of a fixture file.
    func key(of fixture: Fixture) -> Key {
        proof.fixtureKeys[fixture.name] ?? MigrationProof.fixtureKey
    }
}
