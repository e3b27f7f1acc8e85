import Dispatch
import Foundation
import Testing

// Threads are not public.
@testable import Strongroom

@Suite("Threads that are kept for blocking work", .ending)
struct KeptThreadsTests {
    private let threads = KeptThreads(patience: .seconds(3_600))

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
        let impatient = KeptThreads(patience: .milliseconds(1))
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

    @Test func `work that comes while all threads work has another thread`() async throws {
        let (mayEnd, hasEnded) = (Moment(), Moment())
        threads.run("waiting") {
            try? mayEnd.block()
            hasEnded.come()
        }
        let ran = await withCheckedContinuation { continuation in
            threads.run("free") { continuation.resume(returning: true) }
        }
        #expect(ran)
        mayEnd.come()
        try await hasEnded.wait()
    }

    /// Says when it is released.
    private final class Ending: Sendable {
        private let moment: Moment

        init(_ moment: Moment) { self.moment = moment }

        deinit { moment.come() }
    }
}
