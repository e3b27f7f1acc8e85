import Testing

@testable import Strongroom

@Suite("Idle timer", .ending)
struct IdleTimerTests {
    private let timer = IdleTimer(time: .milliseconds(10))

    private static func use(_ timer: IdleTimer, _ check: @escaping IdleTimer.Check) {
        timer.recordUse { check }
    }

    @Test func anotherUseAfterTheTimerHasStoppedStartsItAgain() async throws {
        let (looks, report) = AsyncStream.makeStream(of: Void.self)
        var iterator = looks.makeAsyncIterator()
        for _ in 0..<3 {
            Self.use(timer) {
                report.yield()
                return true
            }
            await iterator.next()
            // The timer stops after its look.
            try await Task.sleep(for: .milliseconds(30))
        }
    }

    @Test func itLooksAgainUntilNothingIsLeftAndThenNoMore() async throws {
        let (looks, report) = AsyncStream.makeStream(of: Int.self)
        let number = Locked(0)
        Self.use(timer) {
            let count = number.withLock { count in
                count += 1
                return count
            }
            report.yield(count)
            return count == 3
        }
        for await look in looks where look == 3 { break }
        try await Task.sleep(for: .milliseconds(100))
        #expect(number.withLock { $0 } == 3)
    }

    /// A use recorded during a look, which that look may not have seen.
    @Test func aUseDuringTheLastLookIsFollowedByAnother() async throws {
        let (looks, report) = AsyncStream.makeStream(of: Int.self)
        let number = Locked(0)
        let timer = timer
        Self.use(timer) {
            let count = number.withLock { count in
                count += 1
                return count
            }
            if count == 1 { Self.use(timer) { true } }
            report.yield(count)
            return true
        }
        for await look in looks where look == 2 { break }
        try await Task.sleep(for: .milliseconds(100))
        #expect(number.withLock { $0 } == 2)
    }
}
