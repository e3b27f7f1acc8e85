#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread to be created.
struct NewThread: Sendable {
    /// The thread's name, at most 15 bytes.
    let name: String
    /// Called with whether the thread was created for it.
    let body: @Sendable (_ isOwn: Bool) -> Void

    /// Creates the thread; unlike Foundation's `Thread`, this reports whether the system did.
    ///
    /// - Returns: False if the system cannot create it.
    func start() -> Bool {
        // Not by an initialiser: the module that declares it depends on the order in which headers are read.
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress else { return false }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            return start(attributes)
        }
    }

    private func start(_ attributes: UnsafePointer<pthread_attr_t>) -> Bool {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let context = Unmanaged.passRetained(Holder(self))
        let code = pthread_create(
            &thread, attributes,
            { context in
                // The pointer is optional on Linux only.
                guard let context = context as UnsafeMutableRawPointer? else { return nil }
                let new = Unmanaged<Holder>.fromOpaque(context).takeRetainedValue().thread
                // On Linux only the running thread can be named.
                ThreadName.set(new.name)
                new.body(true)
                return nil
            }, context.toOpaque())
        if code != 0 { context.release() }
        return code == 0
    }

    /// The argument passed to the new thread.
    private final class Holder: Sendable {
        let thread: NewThread

        init(_ thread: NewThread) { self.thread = thread }
    }
}
