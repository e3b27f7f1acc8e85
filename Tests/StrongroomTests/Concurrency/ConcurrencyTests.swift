import Dispatch
import Foundation
import Testing

// Internal: what long work is made of is not for programs.
// Internal: those who wait are nobody's to see.
// Threads are not public.
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

@Suite("FIFO queue")
struct FIFOQueueTests {
    @Test func theOthersKeepTheirOrder() {
        var line = FIFOQueue<Int>()
        for number in 0..<5_000 { line.append(number) }
        for number in 0..<5_000 where number % 5 != 0 { #expect(line.remove { $0 == number } == number) }
        #expect(line.capacity < 2_500)
        var left: [Int] = []
        while let next = line.popFirst() { left.append(next) }
        #expect(left == Array(stride(from: 0, to: 5_000, by: 5)))
        #expect(line.isEmpty && line.remove { _ in true } == nil)
    }
}

@Suite("Idle timer", .ending)
struct IdleTimerTests {
    /// Uses a timer once.
    ///
    /// - Parameters:
    ///   - last: The look after which there is to be none.
    ///   - check: Tells of each look whether nothing is left; it has the look's number.
    /// - Returns: How many looks there were.
    private func looks(
        upTo last: Int, _ check: @escaping @Sendable (_ timer: IdleTimer, _ number: Int) -> Bool
    ) async throws -> Int {
        let timer = IdleTimer(time: .milliseconds(10))
        let (looks, report) = AsyncStream.makeStream(of: Int.self)
        let number = Locked(0)
        timer.recordUse {
            {
                let count = number.withLock { count in
                    count += 1
                    return count
                }
                defer { report.yield(count) }
                return check(timer, count)
            }
        }
        for await look in looks where look == last { break }
        try await Task.sleep(for: .milliseconds(100))
        return number.withLock { $0 }
    }

    @Test func itLooksAgainUntilNothingIsLeftAndThenNoMore() async throws {
        #expect(try await looks(upTo: 3) { _, number in number == 3 } == 3)
    }

    /// A use recorded during a look, which that look may not have seen.
    @Test func aUseDuringTheLastLookIsFollowedByAnother() async throws {
        #expect(
            try await looks(upTo: 2) { timer, number in
                if number == 1 { timer.recordUse { { true } } }
                return true
            } == 2)
    }
}

@Suite("Work shared by threads")
struct SharedWorkTests {
    private struct Failure: Error {}

    /// The other piece is told, and its own error, which comes later, is not the one that is thrown.
    @Test func theFirstErrorIsThrownAndEndsTheOtherPiece() async throws {
        _ = try await onThread {
            #expect(throws: Failure.self) {
                try SharedWork.run(
                    "test.pieces",
                    [
                        { hasFailed in
                            let deadline = ContinuousClock.now + .seconds(Patience.seconds)
                            while !hasFailed() {
                                // With one thread the other piece has not begun.
                                guard ProcessInfo.processInfo.activeProcessorCount > 1 else { throw Failure() }
                                guard ContinuousClock.now < deadline else { return }
                                usleep(1_000)
                            }
                            throw CancellationError()
                        },
                        { _ in throw Failure() },
                    ])
            }
        }
    }

    @Test func noJobBeginsAfterAnError() throws {
        let begun = Locked(0)
        let jobs: [SharedWork.Job] = (0..<1_000).map { _ in
            { _ in
                begun.withLock { $0 += 1 }
                throw Failure()
            }
        }
        #expect(throws: Failure.self) { try SharedWork.run("test.jobs", jobs) }
        #expect(begun.withLock { $0 } <= 2)
    }
}

@Suite("The thread pool for blocking work", .ending)
struct ThreadPoolTests {
    private let threads = ThreadPool(patience: .seconds(3_600))

    /// Runs work, and waits until its thread is kept.
    private func run<T: Sendable>(_ name: String, _ work: @escaping @Sendable () -> T) async throws -> T {
        let result = await withCheckedContinuation { continuation in
            threads.run(name) { continuation.resume(returning: work()) }
        }
        try await eventually { threads.idleCount == 1 }
        return result
    }

    #if os(Linux)
    @Test func `a thread without work is used again, under another name`() async throws {
        let first = try await run("one") { (Thread.current.name, ObjectIdentifier(Thread.current)) }
        let second = try await run("two") { (Thread.current.name, ObjectIdentifier(Thread.current)) }
        #expect(first.0 == "one" && second.0 == "two")
        // The one thread is still there, so no other has its identity.
        #expect(first.1 == second.1)
    }

    @Test func `a thread retains nothing of its work, and ends without work after a while`() async throws {
        let impatient = ThreadPool(patience: .milliseconds(1))
        let (isReleased, hasEnded) = (Moment(), Moment())
        do {
            let captured = Ending(isReleased)
            impatient.run("short") {
                withExtendedLifetime(captured) {
                    // Released with the thread.
                    Thread.current.threadDictionary["ending"] = Ending(hasEnded)
                }
            }
        }
        try await isReleased.wait()
        try await hasEnded.wait()
        #expect(impatient.idleCount == 0)

        let isReleasedEarly = Moment()
        do {
            let captured = Ending(isReleasedEarly)
            threads.run("kept") { withExtendedLifetime(captured) {} }
        }
        try await isReleasedEarly.wait()
        try await eventually { threads.idleCount == 1 }
    }

    #endif

    /// Says when it is released.
    private final class Ending: Sendable {
        private let moment: Moment

        init(_ moment: Moment) { self.moment = moment }

        deinit { moment.come() }
    }
}
