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

/// The stack of a thread, which is wiped before the thread is kept for other work.
struct ThreadStack {
    /// The lowest address that it may grow to, at the beginning of a page.
    private let end: UnsafeMutableRawPointer
    private let pageSize: Int

    /// What ``wipe()`` and the functions that it calls use, in bytes.
    private static let margin = 4096

    /// The current thread's stack; nil where the system does not report its address.
    init?() {
        #if canImport(Darwin)
        return nil
        #else
        var (address, size) = (UnsafeMutableRawPointer?.none, 0)
        // Not by an initialiser: the module that declares it depends on the order in which headers are read.
        let isKnown = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, let read = Self.read else { return false }
            guard read(pthread_self(), attributes) == 0 else { return false }
            defer { pthread_attr_destroy(attributes) }
            return pthread_attr_getstack(attributes, &address, &size) == 0
        }
        guard isKnown, let address, size > 0 else { return nil }
        end = address
        pageSize = sysconf(Int32(_SC_PAGESIZE))
        #endif
    }

    #if os(Linux)
    /// `pthread_getattr_np`, which Swift's modules of the C library do not declare.
    private static let read = dlsym(nil, "pthread_getattr_np").map {
        unsafeBitCast($0, to: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt).self)
    }
    #endif

    /// Runs work so far below the caller's frame that ``wipe()``, called in the same function, reaches all frames that
    /// the work has used.
    static func runBelow(_ work: () -> Void) {
        #if canImport(Darwin)
        work()
        #else
        descend(margin + 1024, work)
        #endif
    }

    #if os(Linux)
    @inline(never)
    private static func descend(_ bytes: Int, _ work: () -> Void) {
        // A larger one would not lie on the stack.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { buffer in
            guard let start = buffer.baseAddress else { return work() }
            // Before and after the work, so that the compiler leaves it there meanwhile.
            explicit_bzero(start, buffer.count)
            if bytes > buffer.count { descend(bytes - buffer.count, work) } else { work() }
            explicit_bzero(start, buffer.count)
        }
    }
    #endif

    /// The part that most work uses, in bytes, which is overwritten. Taking its pages back and providing them again
    /// takes the system many times as long.
    private static let near = 65_536

    /// Removes what functions that have returned left on the stack, at some distance below this one's frame; to be
    /// called on its thread. Behind the part that most work uses, the system takes the pages back, and the thread gets
    /// pages of zeros for them when it needs them.
    ///
    /// See madvise(2), `MADV_DONTNEED`.
    ///
    /// - Returns: False if the system does not do so.
    @inline(never)
    func wipe() -> Bool {
        #if canImport(Darwin)
        return false
        #else
        var marker: UInt8 = 0
        return withUnsafeMutablePointer(to: &marker) { marker in
            let used = UnsafeMutableRawPointer(marker) - Self.margin
            let whole = max(0, end.distance(to: used) - Self.near) / pageSize * pageSize
            guard end <= used, madvise(end, whole, MADV_DONTNEED) == 0 else { return false }
            let rest = end + whole
            explicit_bzero(rest, rest.distance(to: used))
            return true
        }
        #endif
    }
}

/// A thread-local pointer.
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
