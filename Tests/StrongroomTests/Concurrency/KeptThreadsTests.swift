import Dispatch
import Foundation
import Testing

// Threads are not public.
@testable import Strongroom

@Suite("Threads that are kept for blocking work", .ending)
struct KeptThreadsTests {
    private let threads = KeptThreads()

    /// Runs work, and waits until its thread is kept or has ended.
    private func run<T: Sendable>(_ name: String, _ work: @escaping @Sendable () -> T) async throws -> T {
        let before = threads.idleCount
        let result = await withCheckedContinuation { continuation in
            threads.run(name) { continuation.resume(returning: work()) }
        }
        #if os(Linux)
        try await eventually { threads.idleCount >= max(before, 1) }
        #endif
        return result
    }

    #if os(Linux)
    @Test func `a thread without work is used again under another name, and ends after a while`() async throws {
        let first = try await run("one") { (Thread.current.name, pthread_self()) }
        let second = try await run("two") { (Thread.current.name, pthread_self()) }
        #expect(first.0 == "one" && second.0 == "two")
        #expect(first.1 == second.1)
        try await eventually { threads.idleCount == 0 }
        #expect(try await run("three") { Thread.current.name } == "three")
    }

    @Test func `nothing that work had on its stack is there for the next one`() async throws {
        let word: UInt64 = 0x5bad_c0de_5bad_c0de
        let (first, own) = try await run("first") {
            Self.fill(with: word, levels: 200)
            return (pthread_self(), Self.count(word))
        }
        // What is looked for can be found.
        #expect(own > 5_000)
        let (second, left) = try await run("second") { (pthread_self(), Self.count(word)) }
        #expect(first == second)
        #expect(left == 0)
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

    /// Fills 512 bytes of each of some frames.
    @inline(never)
    private static func fill(with word: UInt64, levels: Int) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { buffer in
            buffer.initialize(repeating: word)
            if levels > 1 { fill(with: word, levels: levels - 1) }
            // The frame is in use until here.
            buffer[0] = word
        }
    }

    /// How often a word lies in the 100 KiB below the frames in use.
    @inline(never)
    private static func count(_ word: UInt64) -> Int {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 1) { buffer in
            guard let here = buffer.baseAddress else { return 0 }
            return (256..<12_800).count { here[-$0] == word }
        }
    }
}
