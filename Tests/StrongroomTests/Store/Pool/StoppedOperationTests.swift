import Testing

// The moments between a request, the queue and the first statement cannot be had through the public interface.
@testable import Strongroom

@Suite("Operations that are stopped between two steps", .ending)
struct StoppedOperationTests {
    @Test(arguments: [PoolOperation.StopReason.cancelled, .timedOut])
    func oneThatIsStoppedBeforeItIsQueuedDoesNotWait(reason: PoolOperation.StopReason) async throws {
        let fixture = try await LineStore(readers: 1)
        let pool = fixture.store.pool
        let limits = OperationLimits(label: "the holder", timeout: .seconds(1_000))
        let held = try await pool.holdReader(limits)
        let operation = pool.makeOperation(.read, limits)
        pool.stop(operation, reason)
        let answer = Locked<Result<ConnectionPool.Queue.Slot, any Error>?>(nil)
        let slot = try pool.acquire(operation, ConnectionPool.Waiter { result in answer.withLock { $0 = result } })
        #expect(slot == nil)
        let failure = try #require(answer.withLock { $0 })
        switch reason {
        case .cancelled: #expect(throws: CancellationError.self) { try failure.get() }
        case .timedOut:
            let error = #expect(throws: StrongroomError.self) { try failure.get() }
            #expect(error?.code == .timedOut && error?.message.contains("the read \"the holder\" for") == true)
        }
        withExtendedLifetime(held) {}
    }

    @Test func oneThatIsStoppedBeforeItsFirstPartDoesNotRun() async throws {
        let fixture = try await LineStore(readers: 1)
        let pool = fixture.store.pool
        let held = try await pool.holdReader(OperationLimits())
        held.stop()
        #expect(throws: CancellationError.self) {
            try pool.runPart(held.operation, .unshared, in: held.slot) { _ in Issue.record("It ran.") }
        }
    }
}
