#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The room that is left on a disk.
enum FreeSpace {
    /// What is written besides the pages: log headers, a journal, directory entries.
    static let margin: Int64 = 1 << 20

    /// The bytes that this process may still write to the file system on which a directory lies.
    static func bytes(at directory: String) throws -> Int64 {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else {
            throw FileSystem.failure(errno, "cannot look at the disk of", directory)
        }
        let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooLarge ? .max : Int64(clamping: bytes)
    }

    /// Throws when a file of a size does not fit beside another one.
    ///
    /// - Parameters:
    ///   - size: Bytes that are to be written.
    ///   - path: The file beside which they are written.
    ///   - purpose: What the error calls the work, as in "Rotating".
    static func require(_ size: Int64, beside path: String, for purpose: String) throws {
        let free = try bytes(at: FileSystem.directory(of: path))
        guard free < size else { return }
        throw StrongroomError(
            .diskFull,
            """
            \(purpose) "\(path)" needs \(size) bytes on its disk for a time, and \(free) are free. Free some, then try \
            again; nothing was changed.
            """
        )
    }
}
