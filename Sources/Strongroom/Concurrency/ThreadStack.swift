#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The stack of a thread, which is wiped below the frames in use before the thread is kept for other work.
struct ThreadStack {
    /// The lowest address that it may grow to.
    private let end: UnsafeMutableRawPointer
    private let pageSize: Int
    /// Receives which pages are in memory.
    private let residence: UnsafeMutableBufferPointer<UInt8>

    /// What a system call and a signal need below the frames in use, in bytes.
    private static let margin = 1024

    /// The current thread's stack; nil where the system does not tell where it is.
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
        residence = .allocate(capacity: (size + pageSize - 1) / pageSize)
        #endif
    }

    #if !canImport(Darwin)
    /// `pthread_getattr_np`, which Swift's modules of the C library do not declare.
    private static let read = dlsym(nil, "pthread_getattr_np").map {
        unsafeBitCast($0, to: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt).self)
    }
    #endif

    /// Frees what ``wipe()`` needs.
    func deallocate() { residence.deallocate() }

    /// Overwrites with zeros what functions that have returned left on the stack; to be called on its thread.
    ///
    /// - Returns: False if the system does not tell which pages were used.
    @inline(never)
    func wipe() -> Bool {
        #if canImport(Darwin)
        return false
        #else
        var marker: UInt8 = 0
        return withUnsafeMutablePointer(to: &marker) { marker in
            // What is below it belongs to no function that has not returned.
            let used = UnsafeMutableRawPointer(marker) - Self.margin
            let pages = (end.distance(to: used) + pageSize - 1) / pageSize
            guard mincore(end, pages * pageSize, residence.baseAddress) == 0 else { return false }
            guard let first = residence.prefix(pages).firstIndex(where: { $0 & 1 != 0 }) else { return true }
            let lowest = end + first * pageSize
            explicit_bzero(lowest, lowest.distance(to: used))
            return true
        }
        #endif
    }
}
