#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread created by the library, for work that blocks.
enum DedicatedThread {
    /// Starts a thread, which ends when its body returns.
    ///
    /// If the system cannot create a thread, as at a limit of processes or of memory, the attempt is repeated, and
    /// after a time the work runs on a Dispatch thread. The caller waits for that only in a process that could not
    /// create a thread since it started.
    ///
    /// - Parameters:
    ///   - name: The thread's name, at most 15 bytes.
    ///   - body: Called on the thread, with whether it was created for this call. A Dispatch thread is shared, so the
    ///     body should return as soon as it has no work left.
    static func start(_ name: String, _ body: @escaping @Sendable (_ isOwn: Bool) -> Void) {
        let thread = NewThread(name: name, body: body)
        // It creates its own thread here, before it is needed.
        let retry = ThreadRetry.shared
        if !thread.start() { retry.start(thread) }
    }

    /// Frees the per-thread state of the engine's cryptography.
    ///
    /// Called at the end of a thread that has used the engine, before the end of the work is reported.
    ///
    /// OpenSSL frees it by itself when the thread ends. But a process that exits at the same moment frees the state of
    /// all threads, and the same memory is then freed twice (measured with OpenSSL 3.0: one of some hundred processes
    /// that exit as soon as their store is closed is killed by SIGSEGV or SIGABRT). See OPENSSL_thread_stop(3).
    static func end() {
        stopThread?()
    }

    /// Nil if the engine uses other cryptography, or its own copy of OpenSSL.
    private static let stopThread: (@convention(c) () -> Void)? = {
        #if canImport(Darwin)
        let allLibraries = UnsafeMutableRawPointer(bitPattern: -2)
        #else
        let allLibraries: UnsafeMutableRawPointer? = nil
        #endif
        return dlsym(allLibraries, "OPENSSL_thread_stop").map {
            unsafeBitCast($0, to: (@convention(c) () -> Void).self)
        }
    }()
}
