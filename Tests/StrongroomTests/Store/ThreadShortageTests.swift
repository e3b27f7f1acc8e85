#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

/// In a process of its own, since it is the process that gets none.
@Suite("A process that gets no thread any more")
struct ThreadShortageTests {
    @Test(.enabled(if: setDefaults != nil, "the C library gives all threads the same stack"))
    func aStoreOpensWorksAndClosesAllTheSame() async throws {
        let directory = try TemporaryDirectory()
        try await Vault(directory.path(""), keys: .numbered(1)).keep("a")
        await #expect(processExitsWith: .success) { [path = directory.path("") as String] in
            // Rather than wait for ever.
            alarm(120)
            let vault = Vault(path, keys: .numbered(1))
            // Dispatch has a thread, which stays for some seconds.
            await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
            try ThreadShortageTests.refuseThreads()
            try await vault.keep("b")
            try #require(try await vault.lines() == ["a", "b"])
            try #require(!ThreadShortageTests.makesThread())
        }
    }

    /// From now on each is to have a stack for which there is no room.
    private static func refuseThreads() throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        try #require(pthread_attr_setstacksize(&attributes, 1 << 47) == 0)
        try #require(setDefaults?(&attributes) == 0 && !makesThread())
    }

    private static func makesThread() -> Bool {
        var thread = pthread_t()
        return pthread_create(&thread, nil, { _ in nil }, nil) == 0
    }

    /// See pthread_setattr_default_np(3).
    private static let setDefaults: (@convention(c) (UnsafePointer<pthread_attr_t>) -> Int32)? =
        dlsym(nil, "pthread_setattr_default_np").map {
            unsafeBitCast($0, to: (@convention(c) (UnsafePointer<pthread_attr_t>) -> Int32).self)
        }
}
#endif
