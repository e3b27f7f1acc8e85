import Foundation
import Strongroom

extension ProofRun {
    /// Migrates every fixture file to every later version.
    func proveFixtures() async throws {
        guard FileManager.default.fileExists(atPath: proof.fixtures.path) else {
            let text =
                """
                there is no directory "\(proof.fixtures.name)" with fixture files; record one of each released \
                version with `recordFixture(version:)`
                """
            // A test that names a directory expects its content to be tested.
            if proof.fixtures.isNamed { report.add(text, on: nil) } else { report.leftOut.append(text) }
            return
        }
        let engine = try EngineFeatures.current().cipherMajorVersion
        for fixture in try Fixture.all(in: proof.fixtures.path) {
            if let cipher = fixture.cipher, cipher > engine {
                report.leftOut.append(
                    """
                    fixture \(fixture.name): its format is SQLCipher \(cipher)'s, which the linked SQLCipher \
                    \(engine) cannot read
                    """
                )
                continue
            }
            try await prove(fixture)
        }
    }

    private static let advice = "put the old code back, and a new migration at the end of the list"

    private func prove(_ fixture: Fixture) async throws {
        let way = "fixture \(fixture.name)"
        let file = try ProofFile(subject, copying: fixture.path)
        let seen = await attempting("a fixture file cannot be opened with `MigrationProof.fixtureKey`", on: way) {
            try await file.using(nil, keys: [MigrationProof.fixtureKey], rotation: .manual) { store in
                try await store.read { db in
                    (
                        try db.value(
                            "SELECT version FROM strongroom_migrations ORDER BY place DESC LIMIT 1", as: String.self),
                        try SchemaDescription(in: db)
                    )
                }
            }
        }
        guard let (recorded, schema) = seen else { return }
        guard let recorded, let start = index(of: recorded) else {
            report.add(
                """
                a fixture file is of version "\(recorded ?? "")", which the migrator does not contain: keep \
                released versions in the list
                """,
                on: way)
            return
        }
        report.fixtures.append(fixture.name)
        let differences = schema.differences(
            from: schemas[start], here: "the file that was recorded", there: "what the migrations make today")
        for difference in differences {
            report.add(
                """
                a migration up to "\(recorded)" was changed after its version was recorded: \(difference); \
                \(Self.advice)
                """, on: way)
        }
        // The schema also differs at every later version, which is not reported again.
        guard differences.isEmpty else { return }
        for end in migrations.indices where end >= start {
            let file = try ProofFile(subject, copying: fixture.path)
            let keys = [MigrationProof.fixtureKey, .numbered(2)]
            _ = try await inspect(
                at: file, through: end, since: start, on: "\(way) → \(version(end))", keys: keys, changes: .warn
            ) { opening in
                let changed = opening.migration?.changed ?? []
                let names = changed.map { "\"\($0)\"" }.joined(separator: ", ")
                return changed.isEmpty
                    ? nil
                    : """
                    the statements of migration \(names) were changed after a file had been through them; \(Self.advice)
                    """
            }
        }
    }
}

extension ProofRun {
    /// Creates a file of a version with the data planted at it.
    ///
    /// - Returns: The closed file, which is removed with the value.
    func recorded(_ index: Int) async throws -> ProofFile {
        let file = try ProofFile(subject)
        let plantings = proof.plantings.filter { $0.version == version(index) }
        // A single file: an envelope would be a second one.
        try await file.using(steps(through: index), keys: [MigrationProof.fixtureKey], protection: .direct) { store in
            for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
            try await store.vacuum()
        }
        return file
    }
}

/// The directory of fixture files.
struct FixtureDirectory: Sendable {
    let path: String
    /// As given by the test, or the default.
    let name: String
    /// Whether the test specified the directory.
    let isNamed: Bool

    /// - Parameters:
    ///   - wanted: The directory that the test specified, relative to the directory of its source; nil for
    ///     `Fixtures/TARGET`.
    ///   - target: The configuration's target.
    ///   - source: The test's source.
    init(_ wanted: String?, target: String, source: String) {
        isNamed = wanted != nil
        name = wanted ?? "Fixtures/\(target)"
        let directory = source.lastIndex(of: "/").map { source[..<$0] } ?? "."
        path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
    }
}

/// A file of a released version, kept with the tests.
struct Fixture {
    let path: String
    let name: String

    /// The major version of the SQLCipher that wrote the file, from its name; nil if the name does not contain it.
    var cipher: Int? {
        let parts = name.split(separator: ".")
        guard parts.count >= 3, parts[parts.count - 2].hasPrefix("cipher") else { return nil }
        return Int(parts[parts.count - 2].dropFirst("cipher".count))
    }

    /// The file name for a version; characters that a file name must not contain are percent-encoded.
    static func name(version: String, cipher: Int) -> String {
        let plain = version.utf8.map { byte in
            let isPlain = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            let isAlphanumeric =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain || isAlphanumeric
                ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16, uppercase: true))"
        }
        return "\(plain.joined()).cipher\(cipher).sqlite"
    }

    /// The files of a directory, sorted by name.
    static func all(in directory: String) throws -> [Fixture] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            .filter { $0.hasSuffix(".sqlite") && !$0.hasPrefix(".") }
            .map { Fixture(path: "\(directory)/\($0)", name: $0) }
    }
}
