import Testing

// Internal: what long work is made of is not for programs.
@testable import Strongroom

@Suite("The monitor of long work", .ending)
struct WorkMonitorTests {
    @Test func `a cancelled piece of work learns it with its next report and reports no more`() throws {
        let told = Locked<[WorkProgress]>([])
        let monitor = WorkMonitor { progress in told.withLock { $0.append(progress) } }
        try monitor.report(.writing, 1, of: 2)
        monitor.cancellation.set()
        #expect(throws: CancellationError.self) { try monitor.report(.writing, 2, of: 2) }
        try monitor.withoutCancellation.report(.verifying, 3, of: 3, .pages)
        let all = told.withLock { $0 }
        #expect(all.map(\.phase) == [.writing, .verifying] && all.map(\.done) == [1, 3])
        #expect(all.map(\.unit) == [.bytes, .pages] && all.allSatisfy { $0.step == nil })
    }

    @Test func `cancelling the task cancels its blocking work`() async {
        let hasBegun = Promise<Void>()
        let task = Task {
            try await WorkMonitor.run { monitor in
                hasBegun.fulfill(())
                while true { try monitor.check() }
            }
        }
        await Task.detached { hasBegun.wait() }.value
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a handler is called for as long as its work runs`() throws {
        let flag = CancellationFlag()
        let calls = Locked(0)
        try flag.stopping(with: { calls.withLock { $0 += 1 } }) { flag.set() }
        #expect(calls.withLock { $0 } == 1)
        #expect(throws: CancellationError.self) { try flag.stopping(with: {}) { Issue.record("It was set.") } }
        flag.set()
        #expect(calls.withLock { $0 } == 1 && flag.clear() && !flag.isSet)
    }
}
