import StrongroomTesting
import Testing

// Internal: whether a store is closed can be seen without using it.
@testable import Strongroom

/// A rotation of a family opens stores that others open meanwhile.
@Suite("Stores that a rotation of a family has borrowed", .ending)
struct FamilyLoanTests {
    private let directory: TemporaryDirectory
    private let names: [DatabaseName]

    init() async throws {
        directory = try TemporaryDirectory()
        names = try (0..<8).map { try DatabaseName("vault_\($0).sqlite") }
        let stores = try Stores(Vault(directory.path(""), keys: .numbered(1)))
        for name in names { _ = try await stores.open(name) }
        try await stores.closeAll()
    }

    /// A registry whose files are only rotated when it is told to; the closure is called each time when the keys are
    /// asked for, with the number of times that they have been asked for before.
    private func stores(_ whenAsked: @escaping @Sendable (DatabaseName, Int) async throws -> Void) throws -> Stores {
        let asked = Locked<[DatabaseName: Int]>([:])
        var vault = Vault(directory.path("")) { name in
            let count = asked.withLock { asked in
                defer { asked[name, default: 0] += 1 }
                return asked[name, default: 0]
            }
            try await whenAsked(name, count)
            return try KeyChain(.numbered(1), .numbered(2))
        }
        vault.settings.rotation = .manual
        return try Stores(vault)
    }

    @Test func whatOthersOpenMeanwhileStaysOpenAndTheRestIsClosed() async throws {
        let registry = Locked<Stores?>(nil)
        let opened = Locked<[Store]>([])
        let chosen = Set(names.prefix(4))
        let stores = try stores { name, count in
            // By opening it first, then by rotating.
            guard count == 1, chosen.contains(name), let stores = registry.withLock({ $0 }) else { return }
            let store = try await stores.open(name)
            opened.withLock { $0.append(store) }
        }
        registry.withLock { $0 = stores }
        let outcomes = try await stores.rotate(names, atMost: 4)
        #expect(try outcomes.allSatisfy { try $0.result.get().isRotated })
        let kept = opened.withLock { $0 }
        #expect(kept.count == 4)
        for store in kept {
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('mine')") }
            #expect(try await stores.open(store.name) === store)
        }
        for name in names where !chosen.contains(name) {
            #expect(try FileStatus.at(directory.path(name.fileName + "-wal")) == nil, "\(name) is still open")
        }
        try await stores.closeAll()
    }

    @Test func aStoreOpenedAtAnyMomentOfTheRotationWorks() async throws {
        let stores = try stores { _, _ in }
        let isDone = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask {
                    // Until it is in the middle of what the rotation does with it.
                    repeat {
                        let store = try await stores.open(name)
                        try await store.write { db in try db.execute("INSERT INTO line VALUES ('mine')") }
                        #expect(!store.pool.isClosing)
                        try await store.close()
                    } while !isDone.withLock { $0 }
                }
            }
            for _ in 0..<5 {
                for outcome in try await stores.rotate(names) {
                    guard case .failure(let error) = outcome.result else { continue }
                    // Whoever closes a store closes it for all.
                    #expect((error as? StrongroomError)?.code == .closed)
                }
            }
            isDone.withLock { $0 = true }
            try await group.waitForAll()
        }
        try await stores.closeAll()
    }
}
