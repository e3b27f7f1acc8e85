#if canImport(Glibc)
import Foundation
import StrongroomTesting
import Testing

/// In a process of its own, since it is the process that gets none.
@Suite("A process that gets no thread for a time")
struct ThreadShortageTests {
    /// Whoever asks meanwhile is not kept from other things.
    @Test func aStoreOpensAsSoonAsThereIsOne() async throws {
        let directory = try TemporaryDirectory()
        try await Vault(directory.path(""), keys: .numbered(1)).keep("a")
        await #expect(processExitsWith: .success) { [path = directory.path("") as String] in
            // Rather than wait for ever.
            alarm(600)
            let vault = Vault(path, keys: .numbered(1))
            try await vault.keep("b")
            let usual = ThreadShortageTests.stackSize()
            // There is no room for it.
            try ThreadShortageTests.setStackSize(1 << 62)
            try #require(!ThreadShortageTests.makesThread())
            let work = Task { try await vault.keep("c") }
            for _ in 0..<20 { try await Task.sleep(for: .milliseconds(10)) }
            try ThreadShortageTests.setStackSize(usual)
            _ = try await work.value
            try #require(try await vault.lines() == ["a", "b", "c"])
        }
    }

    private static func makesThread() -> Bool {
        var thread = pthread_t()
        return pthread_create(&thread, nil, { _ in nil }, nil) == 0
    }

    /// Bytes that each new thread gets.
    private static func stackSize() -> Int {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        var size = 0
        pthread_attr_getstacksize(&attributes, &size)
        return size
    }

    private static func setStackSize(_ size: Int) throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        try #require(pthread_attr_setstacksize(&attributes, size) == 0)
        let setDefaults = try #require(setDefaults)
        try #require(setDefaults(&attributes) == 0)
    }

    private typealias SetDefaults = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32

    /// See pthread_setattr_default_np(3).
    private static let setDefaults = dlsym(nil, "pthread_setattr_default_np")
        .map { unsafeBitCast($0, to: SetDefaults.self) }
}
#endif
