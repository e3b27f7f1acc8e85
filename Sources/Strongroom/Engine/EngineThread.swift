#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the engine's cryptography keeps for a thread.
enum EngineThread {
    /// Gives it up; to be called at the end of a thread that has worked with the engine, before anybody is told that the work is done.
    ///
    /// OpenSSL gives it up by itself when the thread ends. But a process that ends at the same moment gives up that of all threads, and then both
    /// free the same memory (measured with OpenSSL 3.0: one of some hundred processes that end as soon as their store is closed is killed by
    /// SIGSEGV or SIGABRT). See OPENSSL_thread_stop(3).
    static func end() {
        stop?()
    }

    /// Nil where the engine has other cryptography, or its own copy of OpenSSL.
    private static let stop: (@convention(c) () -> Void)? = {
        #if canImport(Darwin)
        let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
        #else
        let everywhere: UnsafeMutableRawPointer? = nil
        #endif
        return dlsym(everywhere, "OPENSSL_thread_stop").map { unsafeBitCast($0, to: (@convention(c) () -> Void).self) }
    }()
}
