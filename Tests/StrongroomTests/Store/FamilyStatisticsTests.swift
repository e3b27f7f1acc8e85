import StrongroomTesting
import Testing

// Internal: a second connection on the file, as another process has one.
@testable import Strongroom

@Suite("What a store and those of a family have required", .ending)
struct FamilyStatisticsTests {
    @Test func `the sums of open and closed stores are kept, by family`() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Vault(directory.path(""), keys: .numbered(1)), LineConfiguration(directory))
        let (first, second) = (try await stores.open("vault_a.sqlite"), try await stores.open("vault_b.sqlite"))
        let other = try await stores.open("lines.sqlite")
        for store in [first, second] {
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        }
        let before = try #require(stores.familyStatistics["vault"])
        #expect(before.openStores == 2)
        #expect(before.pageCacheHits == first.statistics.pageCacheHits + second.statistics.pageCacheHits)
        #expect(before.pageCacheMisses == first.statistics.pageCacheMisses + second.statistics.pageCacheMisses)
        #expect(before.pageCacheHits > 0 && before.pageCacheMisses > 0)
        let sizes = try [first, second].map { try #require(try FileStatus.at($0.path + "-wal")).size }
        #expect(before.logBytes == sizes.reduce(0, +) && before.largestLogBytes == sizes.max())
        #expect(before.logBytes > 0)
        try await second.close()
        let after = try #require(stores.familyStatistics["vault"])
        #expect(after.openStores == 1 && after.logBytes == sizes[0])
        #expect(after.pageCacheHits >= before.pageCacheHits && after.pageCacheMisses >= before.pageCacheMisses)
        #expect(stores.familyStatistics["lines"]?.openStores == 1)
        try await first.close()
        try await other.close()
        #expect(stores.familyStatistics.values.allSatisfy { $0.openStores == 0 && $0.logBytes == 0 })
        #expect(stores.familyStatistics["vault"]?.pageCacheMisses ?? 0 >= after.pageCacheMisses)
    }

    @Test func `waits for another connection's lock are counted with their time`() async throws {
        let vault = Vault(keys: .numbered(1))
        let stores = try Stores(vault)
        let store = try await stores.open("vault.sqlite")
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        #expect(stores.familyStatistics["vault"]?.busyWait == .zero)
        let other = try store.file.connect(as: .writer)
        // On a slow machine the write may begin only when the lock has been released.
        while store.statistics.busyRetries == 0 {
            try other.begin(.immediate)
            let write = Task { _ = try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") } }
            await linger()
            other.rollBack()
            try await write.value
        }
        other.close()
        let numbers = try #require(stores.familyStatistics["vault"])
        #expect(numbers.busyRetries > 0 && numbers.busyRetries == store.statistics.busyRetries)
        #expect(numbers.busyWait >= .milliseconds(numbers.busyRetries) && numbers.busyWait == store.statistics.busyWait)
        try await store.close()
    }

    @Test func statementsAndPagesAreCounted() async throws {
        let fixture = try await LineStore(readers: 1)
        let store = fixture.store
        let before = store.statistics
        for number in 0..<20 { try await store.write { db in try addLine(number, db) } }
        for _ in 0..<10 { _ = try await fixture.lines() }
        let after = store.statistics
        #expect(after.writes - before.writes == 20 && after.reads - before.reads == 10)
        // Each text once a connection.
        #expect(after.statementsPrepared - before.statementsPrepared == 2)
        #expect(after.statementsReused - before.statementsReused == 28)
        #expect(after.pageCacheHits > before.pageCacheHits)
        #expect(after.pageCacheMisses > before.pageCacheMisses)
        #expect(after.busyRetries == 0)
        try await store.close()
    }
}
