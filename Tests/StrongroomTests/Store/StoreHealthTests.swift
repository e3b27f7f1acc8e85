import Foundation
import StrongroomTesting
import Testing

// Internal: a refusal of writes is set by modules of the package.
@testable import Strongroom

@Suite("The health of a store", .ending)
struct StoreHealthTests {
    @Test func `a store that works is ready, and its WAL and disk are measured`() async throws {
        let fixture = try await LineStore(readers: 1)
        try await fixture.store.write { db in try addLine(1, db) }
        let health = await fixture.store.health(within: .seconds(Patience.seconds))
        #expect(health.isReady && health.readFailure == nil && health.writeRefusal == nil)
        #expect(health.logBytes > 0 && (health.freeBytes ?? 0) > 0 && health.readTime > .zero)
        try await fixture.store.close()
        let closed = await fixture.store.health()
        #expect((closed.readFailure as? StrongroomError)?.code == .closed && !closed.isReady)
    }

    @Test func `a store without a free reader is not ready, nor is one that refuses writes`() async throws {
        let fixture = try await LineStore(readers: 1)
        let canEnd = Moment()
        let reading = try await fixture.store.holdReader(until: canEnd)
        let busy = await fixture.store.health(within: .milliseconds(1))
        #expect((busy.readFailure as? StrongroomError)?.code == .timedOut)
        canEnd.come()
        try await reading.value
        fixture.store.refuseWrites(StrongroomError(.notOwner, "Another host writes."))
        let refused = await fixture.store.health(within: .seconds(Patience.seconds))
        #expect(refused.writeRefusal?.code == .notOwner && refused.readFailure == nil && !refused.isReady)
        try await fixture.store.close()
    }

    @Test func `a store in memory has neither WAL nor disk`() async throws {
        let store = try await Store.inMemory()
        let health = await store.health(within: .seconds(Patience.seconds))
        #expect(health.isReady && health.logBytes == 0 && health.freeBytes == nil)
        try await store.close()
    }
}
