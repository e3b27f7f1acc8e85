import Dispatch
import Foundation

/// A thread that works with the engine.
enum EngineThread {
    private final class Body {
        let name: String
        let run: @Sendable (Bool) -> Void

        init(_ name: String, _ run: @escaping @Sendable (Bool) -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread, which ends by itself.
    ///
    /// Where the system makes none, as at a limit of processes or of memory, the work is done on one of Dispatch's: there may be some already, and
    /// Dispatch tries again until it gets one.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes.
    ///   - body: Called on the thread, with whether it was made for it; one of Dispatch's is others', too, and is to be given back soon.
    static func start(_ name: String, _ body: @escaping @Sendable (_ isOwn: Bool) -> Void) {
        let context = Unmanaged.passRetained(Body(name, body))
        guard makeThread(context.toOpaque()) else {
            context.release()
            return DispatchQueue.global().async { body(false) }
        }
    }

    /// - Returns: False where the system makes none.
    private static func makeThread(_ context: UnsafeMutableRawPointer) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, detached)
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, &attributes,
            { (context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? in
                guard let context else { return nil }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                // On Linux only a running thread can be named.
                Thread.current.name = body.name
                body.run(true)
                return nil
            }, context)
        return code == 0
    }

    private static let detached = Int32(PTHREAD_CREATE_DETACHED)

    /// Gives up what the engine's cryptography keeps for the running thread; to be called at the end of a thread that has worked with the engine, before anybody is told that the work is done.
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
