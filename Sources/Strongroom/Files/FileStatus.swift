#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the operating system knows of a file, read without opening it.
struct FileStatus: Equatable {
    /// The file itself, whatever its names are.
    struct Identity: Hashable {
        let device: UInt64
        let node: UInt64
    }

    let identity: Identity
    let size: Int64
    /// When its content was written last, since 1970.
    let modified: Duration
    /// When its content, its owner or its permissions were changed last, since 1970.
    let changed: Duration
    /// How many names it has.
    let links: Int
    let isRegularFile: Bool
    let isDirectory: Bool
    let permissions: UInt32
    let owner: UInt32
    let group: UInt32

    /// The status of what lies at a path, links followed; nil when nothing does.
    static func at(_ path: String) throws -> FileStatus? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw FileSystem.failure(errno, "cannot look at", path)
        }
        return FileStatus(
            identity: Identity(device: UInt64(truncatingIfNeeded: status.st_dev), node: UInt64(status.st_ino)),
            size: Int64(status.st_size),
            modified: duration(modification(status)),
            changed: duration(change(status)),
            links: Int(status.st_nlink),
            isRegularFile: status.st_mode & S_IFMT == S_IFREG,
            isDirectory: status.st_mode & S_IFMT == S_IFDIR,
            permissions: UInt32(status.st_mode & 0o7777),
            owner: status.st_uid,
            group: status.st_gid
        )
    }

    private static func modification(_ status: stat) -> timespec {
        #if canImport(Darwin)
        status.st_mtimespec
        #else
        status.st_mtim
        #endif
    }

    private static func change(_ status: stat) -> timespec {
        #if canImport(Darwin)
        status.st_ctimespec
        #else
        status.st_ctim
        #endif
    }

    private static func duration(_ time: timespec) -> Duration {
        .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
