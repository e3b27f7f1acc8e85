import Foundation
// Internal: what is given up is nobody's to see.
@testable import Strongroom
import Testing

/// What OpenSSL keeps for a thread, seen by the errors that it remembers.
@Suite("What the engine's cryptography keeps for a thread")
struct DedicatedThreadTests {
    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> OpaquePointer?
    private typealias Peek = @convention(c) () -> CUnsignedLong

    private static func function<F>(_ name: String, as type: F.Type) -> F? {
        #if canImport(Darwin)
        let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
        #else
        let everywhere: UnsafeMutableRawPointer? = nil
        #endif
        return dlsym(everywhere, name).map { unsafeBitCast($0, to: type) }
    }

    private static var hasOpenSSL: Bool { function("OPENSSL_thread_stop", as: Peek.self) != nil }

    @Test(.enabled(if: hasOpenSSL, "the engine has other cryptography"))
    func isGivenUpAtItsEnd() async throws {
        let open = try #require(Self.function("BIO_new_file", as: Open.self))
        let peek = try #require(Self.function("ERR_peek_error", as: Peek.self))
        let (before, after) = try await onThread {
            _ = open("/there/is/no/such/file", "r")
            let before = peek()
            DedicatedThread.end()
            return (before, peek())
        }
        #expect(before != 0 && after == 0)
    }
}
