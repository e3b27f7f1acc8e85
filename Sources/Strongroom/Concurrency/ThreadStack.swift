#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
