import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A value so long that it fills pages of its own, of which one is damaged.
@Suite("Damaged long values")
struct DamagedValueTests {
    private let vault = Vault(keys: .numbered(1))
    private static let content = String(repeating: "0123456789", count: 4_000)

    @Test func isNeverReadWithoutAnError() async throws {
        let damaged = try await countDamaged { store in
            let found = try await store.read { db in try db.value("SELECT text FROM line", as: String.self) }
            #expect(found == Self.content)
        }
        #expect(damaged >= 5)
    }

    @Test func isNeverWrittenBack() async throws {
        let damaged = try await countDamaged { store in
            try await store.write { db in
                guard let text = try db.value("SELECT text FROM line", as: String.self) else { return }
                try db.execute("UPDATE line SET text = \(text + "!")")
            }
            let found = try await store.read { db in try db.value("SELECT text FROM line", as: String.self) }
            #expect(found == Self.content + "!")
        }
        #expect(damaged >= 5)
    }

    /// Works with the file as often as it has pages, each time with another page damaged.
    ///
    /// - Returns: How often the work was told of damage.
    private func countDamaged(_ work: (Store) async throws -> Void) async throws -> Int {
        try await vault.keep(Self.content)
        let file = URL(filePath: vault.path)
        let whole = try Data(contentsOf: file)
        let pageSize = try CipherSettings.engineDefault().pageSize
        var count = 0
        for page in 2...whole.count / pageSize {
            var bytes = whole
            bytes[(page - 1) * pageSize + pageSize / 2] ^= 0x10
            try bytes.write(to: file)
            do {
                try await vault.using(work)
            } catch let error as StrongroomError {
                #expect(error.code == .damaged, "page \(page)")
                count += 1
            }
            for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: vault.path + ending) }
        }
        return count
    }
}
