#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file descriptors of the process.
enum FileDescriptors {
    /// How many the process may have.
    static var limit: Int {
        var limits = rlimit()
        #if canImport(Glibc)
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0
        #else
        let isKnown = getrlimit(RLIMIT_NOFILE, &limits) == 0
        #endif
        return isKnown ? Int(clamping: limits.rlim_cur) : 1_024
    }

    /// Whether at least a number of them is in use. Free ones between those in use are not seen: the system assigns the
    /// lowest free one first, so that few of them stay free.
    static func areInUse(_ count: Int) -> Bool {
        let lowestFree = open("/", O_RDONLY | O_CLOEXEC)
        guard lowestFree >= 0 else { return errno == EMFILE || errno == ENFILE }
        close(lowestFree)
        return Int(lowestFree) >= count
    }
}
