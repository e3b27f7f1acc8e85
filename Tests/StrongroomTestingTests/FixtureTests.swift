import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Fixture files of released versions")
struct FixtureTests {
    private let directory: TemporaryDirectory
    private let fixtures: String

    init() throws {
        directory = try TemporaryDirectory()
        fixtures = directory.path("fixtures")
    }

    private func report(_ library: Library) async throws -> MigrationProof.Report {
        try await library.proof(fixtures: fixtures).withoutInterruptions().report()
    }

    private static func name(_ version: String) throws -> String {
        "\(version).cipher\(try EngineFeatures.current().cipherMajorVersion).sqlite"
    }

    @Test func everyRecordedVersionIsBroughtToTheNewest() async throws {
        let proof = Library().proof(fixtures: fixtures)
        for version in ["1", "2", "3"] {
            let url = try await proof.recordFixture(version: version)
            #expect(url.lastPathComponent == (try Self.name(version)))
        }
        let report = try await proof.verify()
        #expect(report.fixtures == (try ["1", "2", "3"].map(Self.name)))
    }

    @Test func aFixtureIsSmallEncryptedAndASingleFile() async throws {
        let url = try await Library().proof(fixtures: fixtures).recordFixture(version: "2")
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixtures) == [url.lastPathComponent])
        let bytes = try Data(contentsOf: url)
        #expect(bytes.count <= 65_536)
        #expect(!bytes.starts(with: Data("SQLite format 3".utf8)))
        #expect(bytes.range(of: Data("Persuasion".utf8)) == nil)
    }

    @Test func neitherAnotherRecordingNorAProofChangesAFixture() async throws {
        let proof = Library().proof(fixtures: fixtures)
        let url = try await proof.recordFixture(version: "1")
        let before = try Data(contentsOf: url)
        #expect(try await proof.recordFixture(version: "1") == url)
        try await proof.verify()
        #expect(try Data(contentsOf: url) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixtures) == [url.lastPathComponent])
    }

    @Test func aVersionMayHaveAnyName() async throws {
        var library = Library()
        library.migrations[0] = Migration("α/1 2", Library.first.up)
        let url = try await MigrationProof(library, fixtures: fixtures).recordFixture(version: "α/1 2")
        #expect(url.lastPathComponent.hasPrefix("%CE%B1%2F1%202.cipher"))
        #expect(try await MigrationProof(library, fixtures: fixtures).verify().fixtures == [url.lastPathComponent])
    }

    @Test func aVersionThatIsNoneCannotBeRecorded() async throws {
        let error = await #expect(throws: StrongroomError.self) {
            try await Library().proof(fixtures: fixtures).recordFixture(version: "9")
        }
        #expect(error?.code == .invalidArgument)
    }

    // MARK: Faults

    @Test func anOldMigrationWhoseSchemaWasChanged() async throws {
        try await Library().proof(fixtures: fixtures).recordFixture(version: "2")
        let changed = Library.with("1") { db in
            try db.execute("CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT '')")
        }
        let faults = try await report(changed).faults.map(\.description)
        try expectFault(
            "a migration up to \"2\" was changed after its version was recorded",
            "column \"book.title\": the default is none",
            "fixture \(try Self.name("2"))", in: faults)
    }

    @Test func anOldMigrationThatDoesOtherThingsWithTheRows() async throws {
        try await Library().proof(fixtures: fixtures).recordFixture(version: "2")
        let changed = Library.with("2") { db in
            try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
            try db.execute("UPDATE book SET shelf = 'old', title = trim(title)")
            try db.execute("CREATE INDEX book_title ON book (title)")
        }
        let faults = try await report(changed).faults.map(\.description)
        try expectFault("the statements of migration \"2\" were changed after a file had been through them", in: faults)
    }

    @Test func aReleasedVersionThatIsGone() async throws {
        try await Library().proof(fixtures: fixtures).recordFixture(version: "3")
        var shorter = Library()
        shorter.migrations.removeLast()
        shorter.tables = nil
        let proof = MigrationProof(shorter, fixtures: fixtures)
        let faults = try await proof.report().faults.map(\.description)
        #expect(faults.count == 1)
        try expectFault("a fixture file is of version \"3\", which the migrator does not contain", in: faults)
    }

    @Test func aFixtureWhoseDataIsLost() async throws {
        try await Library().proof(fixtures: fixtures).recordFixture(version: "1")
        let losing = Library.with("3") { db in
            try Library.third.up(db)
            try db.execute("DELETE FROM book")
        }
        let faults = try await report(losing).faults.map(\.description)
        try expectFault(
            "what was planted at \"1\"", "is not right at \"3\"", "fixture \(try Self.name("1")) → 3", in: faults)
    }

    @Test func aFileThatIsNoFixture() async throws {
        try FileManager.default.createDirectory(atPath: fixtures, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: fixtures).appending(path: "broken.sqlite"))
        let faults = try await report(Library()).faults.map(\.description)
        try expectFault("a fixture file cannot be opened with `MigrationProof.fixtureKey`", "broken.sqlite", in: faults)
    }

    @Test func aFixtureOfANewerFormatIsLeftOutAndTheReportSaysSo() async throws {
        try FileManager.default.createDirectory(atPath: fixtures, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: fixtures).appending(path: "1.cipher99.sqlite"))
        let report = try await report(Library())
        #expect(report.faults.isEmpty)
        #expect(report.leftOut.contains { $0.contains("1.cipher99.sqlite") && $0.contains("SQLCipher 99") })
    }
}
