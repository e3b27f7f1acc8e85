import Foundation
import Strongroom

extension ProofRun {
    /// Every fixture file is brought to every later version.
    func proveFixtures() async throws {
        guard FileManager.default.fileExists(atPath: proof.fixtures.path) else {
            let text =
                """
                there is no directory "\(proof.fixtures.name)" with fixture files; record one of each released \
                version with `recordFixture(version:)`
                """
            // Who named a directory believes that what lies there is proved.
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
        guard let recorded, let start = place(of: recorded) else {
            report.add(
                """
                a fixture file is of version "\(recorded ?? "")", which the migrator does not know: a released \
                version stays in the list
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
        // A file of another schema differs at every later version, which says nothing new.
        guard differences.isEmpty else { return }
        for end in migrations.indices where end >= start {
            let file = try ProofFile(subject, copying: fixture.path)
            let keys = [MigrationProof.fixtureKey, .numbered(2)]
            _ = try await look(
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
    /// Makes a file of a version with what is planted there.
    ///
    /// - Returns: The closed file, which is removed with the value.
    func recorded(_ place: Int) async throws -> ProofFile {
        let file = try ProofFile(subject)
        let plantings = proof.plantings.filter { $0.version == version(place) }
        // One file: an envelope would lie beside it.
        try await file.using(steps(through: place), keys: [MigrationProof.fixtureKey], protection: .direct) { store in
            for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
            try await store.vacuum()
        }
        return file
    }
}

/// Where fixture files lie.
struct FixtureDirectory: Sendable {
    let path: String
    /// As the test, or else the kit, wrote it.
    let name: String
    /// Whether the test said where.
    let isNamed: Bool

    /// - Parameters:
    ///   - wanted: What the test named, from the directory of its source on; nil for `Fixtures/TARGET`.
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

    /// The major version of the SQLCipher that wrote the file, as its name tells; nil where it does not.
    var cipher: Int? {
        let parts = name.split(separator: ".")
        guard parts.count >= 3, parts[parts.count - 2].hasPrefix("cipher") else { return nil }
        return Int(parts[parts.count - 2].dropFirst("cipher".count))
    }

    /// The name of a version's file; what no file's name may have is written as `%` and its code.
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

    /// The files of a directory, by name.
    static func all(in directory: String) throws -> [Fixture] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            .filter { $0.hasSuffix(".sqlite") && !$0.hasPrefix(".") }
            .map { Fixture(path: "\(directory)/\($0)", name: $0) }
    }
}
