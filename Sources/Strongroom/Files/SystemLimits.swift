#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

enum FreeSpace {
    /// Space for data besides the pages: log headers, a journal, directory entries.
    static let margin: Int64 = 1 << 20

    /// The number of bytes that this process may still write to the file system of a directory.
    static func bytes(at directory: String) throws -> Int64 {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else {
            throw FileSystem.failure(errno, "cannot determine the free space of", directory)
        }
        let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooLarge ? .max : Int64(clamping: bytes)
    }

    /// Throws if there is not enough space on the disk of a file.
    static func require(_ size: Int64, at path: String, for purpose: String) throws {
        let free = try bytes(at: FileSystem.directory(of: path))
        guard free < size else { return }
        throw StrongroomError(
            .diskFull,
            """
            \(purpose) "\(path)" temporarily needs \(size) bytes on its disk, and \(free) are free. Free space, then \
            try again; nothing was changed.
            """
        )
    }
}

enum FileDescriptors {
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
