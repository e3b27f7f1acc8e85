import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Rotation of a family")
struct FamilyRotationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func stores(_ keys: Key...) throws -> Stores {
        try Stores(Vault(directory.path("")) { _ in try KeyChain(keys) })
    }

    private func make(_ names: String...) async throws {
        let stores = try stores(.numbered(1))
        for name in names { _ = try await stores.open(name) }
        try await stores.closeAll()
    }

    @Test func theDatabasesThatHaveAFileAreFound() async throws {
        #expect(try stores(.numbered(1)).databases(of: "vault") == [])
        try await make("vault_b.sqlite", "vault.sqlite", "vault_a.sqlite")
        for name in ["other.sqlite", "vault_a.sqlite-wal", "vaultx.sqlite"] {
            try Data([1]).write(to: URL(filePath: directory.path(name)))
        }
        try FileManager.default.createDirectory(
            atPath: directory.path("vault_directory"), withIntermediateDirectories: false)
        let found = try stores(.numbered(1)).databases(of: "vault").map(\.fileName)
        #expect(found == ["vault.sqlite", "vault_a.sqlite", "vault_b.sqlite"])
        try expectFailure(.noConfiguration) { try stores(.numbered(1)).databases(of: "other") }
    }

    @Test func allGetTheCurrentKeyAlsoIfOneFails() async throws {
        let names = (0..<6).map { "vault_\($0).sqlite" }
        for name in names { try await make(name) }
        try Data(repeating: 7, count: 4_096).write(to: URL(filePath: directory.path("vault_3.sqlite")))
        let stores = try stores(.numbered(1), .numbered(2))
        let open = try await stores.open("vault_5.sqlite")
        var told: [String] = []
        let outcomes = try await stores.rotate(stores.databases(of: "vault"), atMost: 2) {
            told.append($0.name.fileName)
        }
        #expect(outcomes.map(\.name.fileName) == names)
        #expect(told.sorted() == names)
        for (index, outcome) in outcomes.enumerated() {
            switch (index, outcome.result) {
            case (3, .failure(let error as StrongroomError)): #expect(error.code == .wrongKey)
            case (5, .success(let report)): #expect(report.method == .unchanged, "it was rotated when it was opened")
            case (_, .success(let report)): #expect(report.method == .copy)
            default: Issue.record("\(outcome)")
            }
        }
        // What was open stays open.
        try await open.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await open.close()
        let again = try await self.stores(.numbered(2)).rotate([DatabaseName("vault_0.sqlite")])
        #expect(try again.first?.result.get().method == .unchanged)
    }
}
