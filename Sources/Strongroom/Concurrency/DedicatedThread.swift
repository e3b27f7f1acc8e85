#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread of the library's own, for work that blocks.
enum DedicatedThread {
    /// Starts a thread, which ends by itself.
    ///
    /// Where the system makes none, as at a limit of processes or of memory, it is tried again, and after a time the
    /// work is done on one of Dispatch's. Whoever asks does not wait for that, but in a process that has got none from
    /// its beginning.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes.
    ///   - body: Called on the thread, with whether it was made for it. One of Dispatch's is others', too, so no more
    ///     is done on it than there is.
    static func start(_ name: String, _ body: @escaping @Sendable (_ isOwn: Bool) -> Void) {
        let thread = NewThread(name: name, body: body)
        // It has a thread of its own, made before there is a need.
        let patience = ThreadPatience.shared
        if !thread.start() { patience.take(thread) }
    }

    /// Gives up what the engine's cryptography keeps for the running thread.
    ///
    /// Called at the end of a thread that has worked with the engine, before the end of the work is
    /// reported.
    ///
    /// OpenSSL gives it up by itself when the thread ends. But a process that ends at the same moment gives up that of
    /// all threads, and then both free the same memory (measured with OpenSSL 3.0: one of some hundred processes that
    /// end as soon as their store is closed is killed by SIGSEGV or SIGABRT). See OPENSSL_thread_stop(3).
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
