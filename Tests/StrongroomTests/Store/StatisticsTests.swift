import Strongroom
import StrongroomTesting
import Testing

@Suite("What a store counts")
struct StatisticsTests {
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
