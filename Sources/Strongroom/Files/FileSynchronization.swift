#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writing a file's content through the caches that lie before the storage medium.
package enum FileSynchronization {
    /// Writes what the system holds of an open file or directory to the medium, and waits for it.
    ///
    /// On Apple platforms `fsync` ends at the drive's own cache, which a power cut empties; `F_FULLFSYNC` writes that
    /// one, too. See fsync(2) and fcntl(2) there.
    ///
    /// - Parameter descriptor: A file or a directory, also one that was opened read-only.
    /// - Returns: False when it failed; `errno` says why.
    package static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        // File systems without the call, such as those of networks.
        guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(errno) else { return false }
        #endif
        return fsync(descriptor) == 0
    }
}
