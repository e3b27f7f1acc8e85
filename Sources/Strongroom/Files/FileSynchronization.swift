#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Flushes a file's content through the caches to the storage medium.
package enum FileSynchronization {
    /// Flushes the system's buffers of an open file or directory to the medium, and waits until that is done.
    ///
    /// On Apple platforms `fsync` does not flush the drive's own cache, which is lost at a power failure; `F_FULLFSYNC`
    /// does. See fsync(2) and fcntl(2) there.
    ///
    /// - Parameter descriptor: A file or a directory; may be opened read-only.
    /// - Returns: False on failure; `errno` holds the reason.
    package static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        // File systems without this call, such as network file systems.
        guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(errno) else { return false }
        #endif
        return fsync(descriptor) == 0
    }
}
