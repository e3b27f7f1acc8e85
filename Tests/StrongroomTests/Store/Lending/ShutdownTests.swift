import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("The shutdown of a registry", .ending)
struct ShutdownTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let stores: Stores

    init() throws { stores = try Stores(Vault(directory.path(""), keys: .numbered(1))) }

    /// A loop over values until the shutdown, which has had its first one.
    private func countingStream(_ lease: StoreLease) async throws -> Task<Void, any Error> {
        let counts = Tally()
        let stream = Task {
            defer { lease.end() }
            try await lease.untilShutdown {
                for try await _ in lease.store.values({ db in
                    try db.value("SELECT count(*) FROM line", as: Int.self)
                }) { counts.add() }
            }
        }
        try await eventually { counts.value == 1 }
        return stream
    }

    @Test func `it waits for users, refuses new ones, and closes every store`() async throws {
        let kept = try await stores.open("vault_kept.sqlite")
        stores.lendingLimits.openStores = 1
        let lease = try await stores.lease("vault_a.sqlite")
        let waiting = Task { try await stores.withStore("vault_b.sqlite") { _ in } }
        try await eventually { stores.statistics.waiting == 1 }
        let end = Task { await stores.shutDown(within: .seconds(Patience.seconds)) }
        try await expectFailure(.closed) { try await waiting.value }
        for name in ["vault_a.sqlite", "vault_c.sqlite"] {
            let error = await #expect(throws: StrongroomError.self) { try await stores.withStore(name) { _ in } }
            #expect(error?.code == .closed && error?.database == name)
        }
        try await expectFailure(.closed) { try await stores.open("vault_c.sqlite") }
        try await lease.store.write { db in try db.execute("INSERT INTO line VALUES ('last')") }
        lease.end()
        let report = await end.value
        #expect(report.isComplete)
        #expect(kept.pool.isClosing && lease.store.pool.isClosing)
        #expect(try await Vault(directory.path(""), keys: .numbered(1)).lines("vault_a.sqlite") == ["last"])
    }

    @Test func `after its time it closes what is in use, and says who used it`() async throws {
        let lease = try await stores.lease("vault_a.sqlite", label: "GET /patients")
        let unnamed = try await stores.lease("vault_a.sqlite")
        let report = await stores.shutDown(within: .milliseconds(10))
        #expect(!report.isComplete)
        #expect(report.holders.map(\.name.fileName) == ["vault_a.sqlite", "vault_a.sqlite"])
        #expect(report.holders[0].description.contains("used by GET /patients"))
        #expect(report.holders[1].label.hasPrefix("StrongroomTests/ShutdownTests.swift:"))
        // Closing may take longer than the test gives it.
        try await eventually { stores.openNames.isEmpty }
        #expect(lease.store.pool.isClosing)
        await #expect(throws: StrongroomError.self) { try await unnamed.store.read { _ in } }
    }

    @Test func `an operation that does not end is named, and ends later all the same`() async throws {
        let (lease, canEnd) = (try await stores.lease("vault_a.sqlite"), Moment())
        let writing = try await lease.store.holdWriter(until: canEnd) { db in
            try db.execute("INSERT INTO line VALUES ('late')")
        }
        let report = await stores.shutDown(within: .milliseconds(10))
        #expect(report.unclosed.map(\.fileName) == ["vault_a.sqlite"])
        canEnd.come()
        try await writing.value
        lease.end()
        try await eventually { stores.openNames.isEmpty }
        #expect(try await Vault(directory.path(""), keys: .numbered(1)).lines("vault_a.sqlite") == ["late"])
    }

    @Test func `one that does not end keeps no other store open, and streams end`() async throws {
        let (held, canEnd) = (try await stores.lease("vault_a.sqlite"), Moment())
        let writing = try await held.store.holdWriter(until: canEnd)
        var opened: [Store] = []
        for number in 0..<20 { opened.append(try await stores.open("vault_\(number).sqlite")) }
        let others = opened
        let lease = try await stores.lease("vault_b.sqlite")
        let stream = try await countingStream(lease)
        let end = Task { await stores.shutDown(within: .milliseconds(10)) }
        try await stream.value
        try await eventually { others.allSatisfy { $0.pool.closing != nil } }
        let report = await end.value
        #expect(report.holders.contains { $0.name.fileName == "vault_a.sqlite" })
        try await expectFailure(.closed) { try await stores.open("vault_a.sqlite") }
        canEnd.come()
        try await writing.value
        held.end()
        try await eventually { stores.openNames.isEmpty }
    }

    @Test func `a stream that would last for ever does not hold it up`() async throws {
        let lease = try await stores.lease("vault_a.sqlite")
        let stream = try await countingStream(lease)
        #expect(await stores.shutDown(within: .seconds(Patience.seconds / 2)).isComplete)
        try await stream.value
    }

    @Test func `work that fails before the shutdown throws its error`() async throws {
        let lease = try await stores.lease("vault_a.sqlite")
        defer { lease.end() }
        await #expect(throws: Refusal.self) { try await lease.untilShutdown { throw Refusal(number: 1) } }
        let cancelled = Task { try await lease.untilShutdown { try await Task.sleep(for: .seconds(1_000)) } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await lease.untilShutdown {}
        try await stores.closeAll()
    }

    @Test func `it also waits in a task that is cancelled`() async throws {
        let lease = try await stores.lease("vault_a.sqlite")
        let end = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await stores.shutDown(within: .seconds(Patience.seconds))
        }
        try await eventually { stores.state.withLock { $0.registry.hasEnded } }
        await linger()
        lease.end()
        #expect(await end.value.isComplete)
    }
}

extension Vault {
    /// The lines of a file of the family.
    fileprivate func lines(_ name: String) async throws -> [String] {
        let store = try await Stores(self).open(name)
        let lines = try await store.lines()
        try await store.close()
        return lines
    }
}
