import StrongroomTesting
import Testing

// The engine's memory is public as a number of a registry only.
@testable import Strongroom

@Suite("The memory of the engine")
struct EngineMemoryTests {
    /// In a process of its own, since what other tests read is counted, too.
    @Test func itIsCountedWhenItIsAllocatedAndWhenItIsFreed() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [root = directory.path("files") as String] in
            let stores = try Stores(Vault(root, keys: .numbered(1)))
            let store = try await stores.open("vault.sqlite")
            let text = String(repeating: "x", count: 2_000)
            try await store.write { db in
                for _ in 0..<2_000 { try db.execute("INSERT INTO line VALUES (\(text))") }
            }
            let filled = stores.statistics.memory
            // The pages of 4 MB are in the writer's cache.
            #expect((4_000_000..<40_000_000).contains(filled), "\(filled)")
            try await store.releaseMemory()
            let released = stores.statistics.memory
            #expect((1..<1_000_000).contains(released), "\(released)")
            try await stores.closeAll()
            #expect(stores.statistics.memory < released)
        }
    }

    @Test func atItsLimitAStoreIsClosedForAnother() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Vault(directory.path(""), keys: .numbered(1)))
        // Each open store takes more.
        stores.lendingLimits = LendingLimits(idleTime: .seconds(3_600), memory: 1)
        for number in 0..<3 { try await stores.withStore("vault_\(number).sqlite") { _ in } }
        #expect(stores.statistics.closedForOthers == 2)
        try await stores.closeAll()
    }
}
