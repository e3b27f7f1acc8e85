import Dispatch

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
    /// If the system cannot create a thread, as at a limit of processes or of memory, it is started as soon as the
    /// system can. The caller waits for that only in a process that could not create a thread since it started.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
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

private struct NewThread: Sendable {
    /// At most 15 bytes.
    let name: String
    let body: @Sendable () -> Void

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
                DedicatedThread.setName(new.name)
                new.body()
                return nil
            }, context.toOpaque())
        if code != 0 { context.release() }
        return code == 0
    }

    private final class Holder: Sendable {
        let thread: NewThread

        init(_ thread: NewThread) { self.thread = thread }
    }
}

/// Starts the threads that the system could not create.
///
/// It has a permanent thread of its own: the thread that requests a new one may be the only one that could run the work
/// that others wait for.
private final class ThreadRetry: Sendable {
    static let shared = ThreadRetry()

    private let refused = Locked<[NewThread]>([])
    private let isRunning = Locked(false)
    private let wake = DispatchSemaphore(value: 0)

    /// Microseconds between two attempts.
    private static let pause: UInt32 = 50_000

    private init() {
        begin()
    }

    func start(_ thread: NewThread) {
        // A process that could not create one when it started may be able to now. If it is not, this call blocks until
        // Dispatch has a thread.
        guard begin() else { return DispatchQueue.global().async(execute: thread.body) }
        refused.withLock { $0.append(thread) }
        wake.signal()
    }

    /// Starts its own thread, unless it is running.
    @discardableResult
    private func begin() -> Bool {
        isRunning.withLock { isRunning in
            if !isRunning { isRunning = NewThread(name: "strongroom.wait") { [self] in run() }.start() }
            return isRunning
        }
    }

    private func run() {
        while true {
            wake.wait()
            while !startAll() { usleep(Self.pause) }
        }
    }

    /// - Returns: Whether none is left.
    private func startAll() -> Bool {
        refused.withLock { refused in
            refused = refused.filter { !$0.start() }
            return refused.isEmpty
        }
    }
}

struct ThreadLocal: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "the operating system has no thread-specific key left")
        self.key = key
    }

    /// The running thread's value; initially nil.
    var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { pthread_setspecific(key, newValue) }
    }
}
