import Foundation
// Internal: the schema's text is changed past the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A sound file whose schema another, newer SQLite has written.
@Suite("SQL of a schema that the engine does not know", .ending)
struct UnknownSchemaTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let key = Key.numbered(1)
    private var vault: Vault { Vault(directory.path("made"), keys: .numbered(1)).with(\.migrator, nil) }

    /// - Parameter text: What the schema says of `newer`, which no engine knows.
    private func make(_ text: String, key: Key?) throws {
        try FileManager.default.createDirectory(atPath: directory.path("made"), withIntermediateDirectories: true)
        let kind = text.hasPrefix("CREATE VIEW") ? "VIEW newer AS SELECT a FROM ok" : "TABLE newer (a)"
        _ = try SourceFile(
            vault, key: key,
            statements: [
                "CREATE TABLE ok (a)", "INSERT INTO ok VALUES (1), (2)", "CREATE \(kind)",
                "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = '\(text)' WHERE name = 'newer'",
            ])
    }

    private static let texts = ["CREATE TABLE newer (a) SOMEDAY", "CREATE VIEW newer AS SELECT a FROM ok SOMEDAY a"]

    @Test(arguments: texts)
    func itIsNotSupportedAndNotDamaged(text: String) async throws {
        try make(text, key: key)
        let before = try Data(contentsOf: URL(filePath: vault.path))
        let error = try await expectFailure(.newerSchema, saying: "\"newer\"", "salvage") { [vault] in
            try await vault.read { db in try db.value("SELECT count(*) FROM ok", as: Int.self) }
        }
        #expect(!error.message.contains("verify"))
        let diagnosis = try await Stores(vault).diagnose("vault.sqlite")
        #expect(diagnosis.finding == .newerSchema && diagnosis.damagedPages == [])
        #expect(diagnosis.reason?.contains("\"newer\"") == true)
        #expect(try Data(contentsOf: URL(filePath: vault.path)).count == before.count)
    }

    @Test(arguments: texts)
    func salvageCopiesTheTablesThatTheEngineKnows(text: String) async throws {
        try make(text, key: key)
        let rescue = directory.path("rescue")
        let report = try await Stores(vault).salvage("vault.sqlite", to: rescue + "/vault.sqlite")
        #expect(report.missingObjects.map(\.name) == ["newer"])
        #expect(report.damagedPages == [] && report.tables.map(\.name) == ["ok"])
        try await Vault(rescue, keys: .numbered(1)).with(\.migrator, nil).using { store async throws in
            #expect(try await store.value("SELECT sum(a) FROM ok", as: Int.self) == 3)
        }
    }

    @Test func aPlaintextFileWithItIsNotEncryptedAndNotChanged() async throws {
        try make(Self.texts[0], key: nil)
        let before = try Data(contentsOf: URL(filePath: vault.path))
        var converting = vault
        converting.keyChain = { _ in try KeyChain(.plaintext, .numbered(1)) }
        let chain = converting
        try await expectFailure(.newerSchema) { try await chain.open() }
        #expect(try Data(contentsOf: URL(filePath: vault.path)) == before)
    }
}
