#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The free space of a disk.
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
    ///
    /// - Parameters:
    ///   - size: The number of bytes to be written.
    ///   - path: The file in whose directory they are written.
    ///   - purpose: The operation for the error, as in "Rotating".
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
