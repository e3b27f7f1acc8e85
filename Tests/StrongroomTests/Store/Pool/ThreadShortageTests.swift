#if canImport(Glibc)
import Foundation
import StrongroomTesting
import Testing

// The threads cannot be had through the public interface.
@testable import Strongroom

/// In a process of its own, since it is the process that gets none.
@Suite("A process that gets no thread")
struct ThreadShortageTests {
    /// Whoever asks meanwhile is not kept from other things.
    @Test func workIsDoneAsSoonAsThereIsOne() async throws {
        await #expect(processExitsWith: .success) {
            try ThreadShortageTests.inShortage { executor in
                let isDone = DispatchSemaphore(value: 0)
                for _ in 0..<3 { executor.post { isDone.signal() } }
                try ThreadShortageTests.endShortage()
                for _ in 0..<3 { isDone.wait() }
            }
        }
    }

    @Test func afterATimeOneOfDispatchsDoesIt() async throws {
        await #expect(processExitsWith: .success) {
            // One that has nothing to do, and stays for some seconds.
            let isThere = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { isThere.signal() }
            try ThreadShortageTests.inShortage { executor in
                isThere.wait()
                let isDone = DispatchSemaphore(value: 0)
                for _ in 0..<3 { executor.post { isDone.signal() } }
                // On a slow machine it may have gone; then there are to be threads again.
                if isDone.wait(timeout: .now() + 10) == .timedOut {
                    try ThreadShortageTests.endShortage()
                    isDone.wait()
                }
                for _ in 0..<2 { isDone.wait() }
                try ThreadShortageTests.endShortage()
            }
        }
    }

    /// Does something with an executor that gets no thread; ends a process in which it waits for ever.
    private static func inShortage(_ body: (StoreExecutor) throws -> Void) throws {
        alarm(600)
        // Its own thread is made with the first.
        let first = DispatchSemaphore(value: 0)
        DedicatedThread.start("strongroom.test") { _ in first.signal() }
        first.wait()
        // There is no room for it.
        try setStackSize(1 << 62)
        var thread = pthread_t()
        try #require(pthread_create(&thread, nil, { _ in nil }, nil) != 0)
        try body(StoreExecutor(name: "strongroom.test", threads: 2))
    }

    private static let usualStackSize = 8 << 20

    private static func endShortage() throws {
        try setStackSize(usualStackSize)
    }

    /// Bytes that each new thread gets.
    private static func setStackSize(_ size: Int) throws {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        try #require(pthread_attr_setstacksize(attributes, size) == 0)
        let setDefaults = try #require(setDefaults)
        try #require(setDefaults(attributes) == 0)
    }

    private typealias SetDefaults = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32

    /// See pthread_setattr_default_np(3).
    private static let setDefaults = dlsym(nil, "pthread_setattr_default_np")
        .map { unsafeBitCast($0, to: SetDefaults.self) }
}
#endif
