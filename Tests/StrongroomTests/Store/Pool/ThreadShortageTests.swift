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

    /// Does something with an executor that gets no thread; ends a process in which it waits for ever.
    private static func inShortage(_ body: (StoreExecutor) throws -> Void) throws {
        alarm(600)
        // Its own thread is made with the first.
        let first = DispatchSemaphore(value: 0)
        DedicatedThread.start("strongroom.test") { first.signal() }
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
