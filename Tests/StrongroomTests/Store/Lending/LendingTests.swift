import Foundation
import StrongroomTesting
import Testing

// Internal: whether a store is closed, and how many threads there are, can be seen without using it.
@testable import Strongroom

@Suite("Stores that are open while they are used", .ending)
struct LendingTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let stores: Stores

    init() throws { stores = try Stores(Vault(directory.path(""), keys: .numbered(1))) }

    private func name(_ number: Int) -> String { "vault_\(number).sqlite" }

    private func isOpen(_ number: Int) throws -> Bool { try stores.openedOrLent(DatabaseName(name(number))) }

    private func add(_ line: String, to number: Int) async throws {
        try await stores.withStore(name(number)) { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
        }
    }

    private func lines(of number: Int) async throws -> Int {
        try await stores.withStore(name(number)) { store in
            try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) ?? 0 }
        }
    }

    @Test func `a returned store stays open, and is the same for the next borrower`() async throws {
        let first = try await stores.withStore(name(0)) { store in store }
        let second = try await stores.withStore(name(0)) { store in store }
        #expect(first === second && !first.pool.isClosing)
        #expect(stores.statistics.loans == 2 && stores.statistics.openings == 1)
        #expect(stores.statistics.idle == 1 && stores.statistics.lent == 0)
        try await stores.closeAll()
        // Somebody has closed it; the next borrower gets another one.
        try await add("a", to: 0)
        #expect(try await lines(of: 0) == 1)
        try await stores.closeAll()
    }

    @Test func `at the limit, a store that was used once is closed for another`() async throws {
        stores.lendingLimits.openStores = 2
        for number in [0, 1, 0, 2] { try await add("a", to: number) }
        try await eventually { stores.statistics.closing == 0 }
        #expect(try [0, 1, 2].map(isOpen) == [true, false, true])
        #expect(stores.statistics.closedForOthers == 1)
        try await stores.closeAll()
    }

    @Test func `if all stores are in use, a request waits, is cancelled with its task, or times out`() async throws {
        stores.lendingLimits.openStores = 1
        let lease = try await stores.lease(name(0))
        let waiting = Task { try await lines(of: 1) }
        let cancelled = Task { try await lines(of: 2) }
        try await eventually { stores.statistics.waiting == 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let error = await #expect(throws: StrongroomError.self) {
            try await stores.withStore(name(3), timeout: .milliseconds(1)) { _ in }
        }
        #expect(error?.code == .timedOut && error?.database == name(3))
        #expect(error?.message.contains("`lendingLimits` (1 open store)") == true)
        for _ in 0..<50 {
            // Also if the time passes before the request waits.
            try await expectFailure(.timedOut) { try await stores.withStore(name(3), timeout: .zero) { _ in } }
        }
        lease.end()
        lease.end()
        #expect(try await waiting.value == 0)
        try await stores.closeAll()
    }

    @Test func `a lease that is dropped ends`() async throws {
        stores.lendingLimits.openStores = 1
        do {
            let lease = try await stores.lease(name(0))
            #expect(stores.statistics.lent == 1)
            withExtendedLifetime(lease) {}
        }
        try await eventually { stores.statistics.lent == 0 }
        #expect(try await lines(of: 1) == 0)
        try await stores.closeAll()
    }

    @Test func `idle stores are closed after their time, and without their readers before that`() async throws {
        stores.lendingLimits.idleTime = .seconds(1_000)
        let store = try await stores.withStore(name(0)) { store in
            _ = try await store.lineCount()
            return store
        }
        try await eventually { store.statistics.openReaders == 0 }
        #expect(!store.pool.isClosing)
        stores.lendingLimits.idleTime = .zero
        try await eventually { store.pool.isClosing }
        try await eventually { stores.statistics.idle + stores.statistics.closing == 0 }
        #expect(stores.statistics.closedWhenIdle == 1)
    }

    @Test func `what was opened with open stays open`() async throws {
        stores.lendingLimits.openStores = 1
        let kept = try await stores.open(name(0))
        try await add("a", to: 0)
        try await add("a", to: 1)
        try await eventually { stores.statistics.closing == 0 }
        #expect(!kept.pool.isClosing)
        #expect(try await stores.open(name(0)) === kept)
        try await stores.closeAll()
    }

    @Test func `an opening that fails gives its slot back`() async throws {
        try Data("no database".utf8).write(to: URL(filePath: directory.path(name(0))))
        stores.lendingLimits.openStores = 1
        for _ in 0..<3 {
            await #expect(throws: StrongroomError.self) { try await lines(of: 0) }
        }
        #expect(try await lines(of: 1) == 0)
        #expect(stores.statistics.opening == 0 && stores.statistics.lent == 0)
        try await stores.closeAll()
    }

    /// The naive cache of stores fails here: what is closed for others is used by somebody.
    @Test func `no store is closed while it is used, whatever the limit`() async throws {
        stores.lendingLimits = LendingLimits(openStores: 3, openings: 2)
        let (tenants, tasks, rounds) = (10, 12, 25)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var random = SeededGenerator(UInt64(task))
                    for round in 0..<rounds {
                        // Some tenants are used more often.
                        let tenant = min(
                            Int.random(in: 0..<tenants, using: &random), .random(in: 0..<tenants, using: &random))
                        try await stores.withStore(name(tenant)) { store in
                            try await store.write { db in
                                try db.execute("INSERT INTO line VALUES (\("\(task) \(round)"))")
                            }
                            #expect(!store.pool.isClosing)
                            _ = try await store.lineCount()
                        }
                        let numbers = stores.statistics
                        #expect(numbers.lent + numbers.idle + numbers.opening + numbers.closing <= 3)
                    }
                }
            }
            try await group.waitForAll()
        }
        var count = 0
        for tenant in 0..<tenants { count += try await lines(of: tenant) }
        #expect(count == tasks * rounds)
        #expect(stores.statistics.closedForOthers > 0)
        try await stores.closeAll()
    }

    @Test func `a use of a second store inside that of another one does not wait for the limit`() async throws {
        stores.lendingLimits = LendingLimits(openStores: 1, openings: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    try await stores.withStore(name(number)) { _ in
                        for _ in 0..<2 { try await add("a", to: (number + 1) % 4) }
                        try await add("a", to: number)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await eventually { stores.statistics.idle + stores.statistics.closing <= 1 }
        for number in 0..<4 { #expect(try await lines(of: number) == 3) }
        try await stores.closeAll()
    }

    @Test func `configurations may borrow other stores, also at the limit`() async throws {
        let registry = Locked<Stores?>(nil)
        let nested = try Stores(
            Vault(directory.path("")) { database in
                if database.fileName != "vault_keys.sqlite", let stores = registry.withLock({ $0 }) {
                    try await stores.withStore("vault_keys.sqlite") { store in
                        _ = try await store.lineCount()
                    }
                }
                return try KeyChain(.numbered(2))
            })
        registry.withLock { $0 = nested }
        nested.lendingLimits = LendingLimits(openStores: 1, openings: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { try await nested.withStore(name(number)) { _ in } }
            }
            try await group.waitForAll()
        }
        registry.withLock { $0 = nil }
        try await nested.closeAll()
    }

    @Test func `work on many databases leaves those open that were`() async throws {
        try await add("a", to: 3)
        let names = try (0..<6).map { try DatabaseName(name($0)) }
        try Data("no database".utf8).write(to: URL(filePath: directory.path(name(4))))
        let kept = try await stores.open(name(5))
        let done = Locked<Set<String>>([])
        let outcomes = try await stores.withEachStore(of: names, atMost: 3) { outcome in
            done.withLock { _ = $0.insert(outcome.name.fileName) }
        } _: { store in
            try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) ?? -1 }
        }
        #expect(outcomes.map(\.name) == names && done.withLock { $0.count } == 6)
        #expect(outcomes.map { try? $0.result.get() } == [0, 0, 0, 1, nil, 0])
        #expect(try (0..<6).map(isOpen) == [false, false, false, true, false, true])
        #expect(!kept.pool.isClosing && stores.statistics.idle == 1 && stores.statistics.lent == 0)
        try await stores.closeAll()
    }

    /// The engine keeps the descriptor of a file that a reader had open until the last connection is closed, and uses
    /// it again, since closing it would release the process's locks; its WAL it closes.
    @Test func `all stores of a registry share its threads, and an idle one has one connection`() async throws {
        let (tenants, lent) = (40, Locked<[StoreLease]>([]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<tenants {
                group.addTask {
                    try await add("a", to: number)
                    _ = try await lines(of: number)
                    let lease = try await stores.lease(name(number))
                    lent.withLock { $0.append(lease) }
                }
            }
            try await group.waitForAll()
        }
        // Two readers and the writer; those that were started while work was stalled end.
        try await eventually { stores.statistics.threads <= 2 * 3 + 1 }
        lent.withLock { $0 = [] }
        let own = directory.path("")
        try await eventually { openFiles(in: own, ending: "-wal") <= tenants }
        #expect(openFiles(in: own, ending: "") <= 5 * tenants)
        try await stores.closeAll()
        #expect(openFiles(in: own, ending: "") == 0)
    }
}

/// How many descriptors of the process are of files in a directory.
private func openFiles(in directory: String, ending: String) -> Int {
    let real = URL(filePath: directory).resolvingSymlinksInPath().path()
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.count { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        guard let target else { return false }
        return target.hasPrefix(real) && target.hasSuffix(ending)
    }
}

extension Stores {
    /// Whether a store is open for borrowers.
    fileprivate func openedOrLent(_ name: DatabaseName) -> Bool { openNames.contains(name) }
}
