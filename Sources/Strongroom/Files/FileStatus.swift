#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The status of a file, read without opening it.
package struct FileStatus: Equatable {
    /// The identity of a file, independent of its names.
    struct Identity: Hashable {
        let device: UInt64
        let node: UInt64

        init(_ status: stat) {
            (device, node) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        }
    }

    let identity: Identity
    package let size: Int64
    /// The time of the last modification of the content, since 1970.
    package let modified: Duration
    /// The time of the last change of the content, the owner or the permissions, since 1970.
    let changed: Duration
    let links: Int
    package let isRegularFile: Bool
    package let isDirectory: Bool
    let isSymbolicLink: Bool
    /// The file type as text, such as "a FIFO".
    let kind: String
    let permissions: UInt32
    let owner: UInt32
    let group: UInt32

    /// The status of the file at a path, following symbolic links; nil if there is none.
    static func at(_ path: String) throws -> FileStatus? {
        var status = stat()
        return try result(stat(path, &status), of: path).map { FileStatus(status) }
    }

    /// The status of the directory entry at a path, without following a symbolic link; nil if there is none.
    static func ofName(_ path: String) throws -> FileStatus? {
        var status = stat()
        let result = lstat(path, &status)
        // No file can have such a name.
        if result != 0, errno == ENAMETOOLONG { return nil }
        return try Self.result(result, of: path).map { FileStatus(status) }
    }

    /// The status of an entry of an open directory, without following a symbolic link; nil if there is none.
    package static func ofName(_ name: String, in directory: Int32) throws -> FileStatus? {
        var status = stat()
        return try result(fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW), of: name).map { FileStatus(status) }
    }

    static func of(_ descriptor: Int32, _ path: String) throws -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileSystem.failure(errno, "cannot read the attributes of", path)
        }
        return FileStatus(status)
    }

    /// The user of this process.
    static var user: UInt32 { UInt32(geteuid()) }

    /// Whether the file is a regular one with one name that only this user, the owner of a database beside it, and
    /// users who may write the database can write. A file that was created by another user who may write the database
    /// is not trusted.
    func isTrusted(beside database: String) -> Bool {
        guard isRegularFile, links == 1 else { return false }
        guard let model = try? FileStatus.at(database) else { return isPrivate }
        guard owner == Self.user || owner == model.owner,
            let mode = try? FileLock.mode(ofFileIn: group, like: model, at: database)
        else { return false }
        return permissions & ~UInt32(mode) == 0
    }

    /// Whether the file is a regular one with one name that nobody but this user can read or write.
    var isPrivate: Bool {
        isRegularFile && links == 1 && owner == Self.user && permissions & ~0o600 == 0
    }

    private static func result(_ result: Int32, of path: String) throws -> Void? {
        guard result != 0 else { return () }
        if errno == ENOENT { return nil }
        throw FileSystem.failure(errno, "cannot read the attributes of", path)
    }

    private init(_ status: stat) {
        identity = Identity(status)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        (modified, changed) = (Self.duration(status.st_mtimespec), Self.duration(status.st_ctimespec))
        #else
        (modified, changed) = (Self.duration(status.st_mtim), Self.duration(status.st_ctim))
        #endif
        links = Int(status.st_nlink)
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isSymbolicLink = status.st_mode & S_IFMT == S_IFLNK
        kind = Self.kind(status)
        permissions = UInt32(status.st_mode & 0o7777)
        owner = status.st_uid
        group = status.st_gid
    }

    private static func kind(_ status: stat) -> String {
        switch status.st_mode & S_IFMT {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a directory"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    private static func duration(_ time: timespec) -> Duration {
        .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}

extension FileSystem {
    /// Whether a database has a WAL that is not empty.
    static func hasWriteAheadLog(_ path: String) throws -> Bool {
        try requireRegular(SideFiles(of: path).log).map { $0.size > 0 } ?? false
    }

    /// Whether a database has a hot rollback journal.
    static func hasJournal(_ path: String) throws -> Bool {
        // The header of a finalized journal is zeroed.
        try firstBytesIfThere(of: SideFiles(of: path).journal, 8)?.contains { $0 != 0 } ?? false
    }
}
