import Strongroom
import StrongroomTesting
import Testing

@Suite("Configurations that open databases", .ending)
struct CircularOpeningTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A vault whose databases need others to be opened first.
    private func vault(_ stores: Stores, _ needs: [String: [String]]) -> Vault {
        Vault(directory.path("files")) { name in
            for other in needs["\(name)"] ?? [] { _ = try await stores.open(other) }
            return try KeyChain(.numbered(1))
        }
    }

    @Test func aDatabaseMayNeedAnother() async throws {
        let stores = Stores()
        let needs = ["vault_a.sqlite": ["vault_b.sqlite"], "vault_b.sqlite": ["vault_c.sqlite"]]
        try stores.register(vault(stores, needs))
        let store = try await stores.open("vault_a.sqlite")
        #expect(store.opening.outcome == .created)
        #expect(try await stores.open("vault_c.sqlite").opening.outcome == .created)
        try await stores.closeAll()
    }

    @Test(
        "a circle is an error, not a wait without end",
        arguments: [
            ["vault_a.sqlite": ["vault_a.sqlite"]],
            ["vault_a.sqlite": ["vault_b.sqlite"], "vault_b.sqlite": ["vault_a.sqlite"]],
            [
                "vault_a.sqlite": ["vault_d.sqlite", "vault_b.sqlite"], "vault_b.sqlite": ["vault_c.sqlite"],
                "vault_c.sqlite": ["vault_a.sqlite"],
            ],
        ])
    func aCircle(needs: [String: [String]]) async throws {
        let stores = Stores()
        try stores.register(vault(stores, needs))
        for _ in 0..<2 {
            let error = try await expectFailure(.nestedAccess) { try await stores.open("vault_a.sqlite") }
            // Which of them finds the circle depends on the schedule; all of it is named wherever that is.
            for name in needs.keys { #expect(error.message.contains("\"\(name)\"")) }
            #expect(needs.keys.contains(error.database ?? ""))
        }
        try await stores.closeAll()
    }

    @Test func twoTasksThatWaitForEachOtherFindTheCircle() async throws {
        for _ in 0..<20 {
            let stores = Stores()
            let needs = ["vault_a.sqlite": ["vault_b.sqlite"], "vault_b.sqlite": ["vault_a.sqlite"]]
            try stores.register(vault(stores, needs))
            let names = ["vault_a.sqlite", "vault_b.sqlite"]
            let failures = await withTaskGroup(of: StrongroomError?.self) { group in
                for name in names {
                    group.addTask {
                        do {
                            _ = try await stores.open(name)
                            return nil
                        } catch { return error as? StrongroomError }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures.map { $0?.code } == [.nestedAccess, .nestedAccess])
        }
    }

    @Test func aTaskThatOutlivesItsOpeningMayOpenTheSameDatabase() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let later = Locked<Task<Store, any Error>?>(nil)
        let stores = Stores()
        try stores.register(
            Vault(directory.path("files")) { _ in
                let task = Task {
                    for await _ in started {}
                    return try await stores.open("vault.sqlite")
                }
                later.withLock { $0 = task }
                return try KeyChain(.numbered(1))
            })
        let store = try await stores.open("vault.sqlite")
        start.finish()
        #expect(try await later.withLock { $0 }?.value === store)
        try await stores.closeAll()
    }
}
