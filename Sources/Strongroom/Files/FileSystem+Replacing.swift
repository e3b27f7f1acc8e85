#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Putting a file in another one's place.
extension FileSystem {
    /// Puts a finished file in the place of another one, atomically.
    static func replace(_ path: String, with finished: String) throws {
        guard rename(finished, path) == 0 else { throw failure(errno, "cannot put in place", path) }
    }

    /// Gives a file a second name.
    ///
    /// - Returns: False where the file system knows no second names.
    static func addName(_ other: String, to path: String) throws -> Bool {
        if link(path, other) == 0 { return true }
        guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else {
            throw failure(errno, "cannot give a second name to", path)
        }
        return false
    }

    /// Bytes.
    private static let beginning = 4_096

    /// Overwrites a file with zeros, its beginning first, and brings them to the disk; where the file system writes in
    /// place, nothing of the content is left.
    ///
    /// - Returns: Whether it was overwritten. One that has further names is not: they may be somebody else's.
    /// - Throws: ``StrongroomError`` with `notAFile` for a symbolic link, a FIFO and the like, which are neither
    ///   followed nor changed.
    @discardableResult
    static func overwrite(_ path: String) throws -> Bool {
        let descriptor = try openFile(path, O_WRONLY, followsLinks: false)
        defer { close(descriptor) }
        let status = try FileStatus.of(descriptor, path)
        guard status.links <= 1 else { return false }
        var rest = Int(status.size)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var isFirst = true
        while rest > 0 {
            let length = write(descriptor, zeros, min(rest, isFirst ? beginning : zeros.count))
            guard length >= 0 || errno == EINTR else { throw failure(errno, "cannot overwrite", path) }
            rest -= max(length, 0)
            // Without its beginning a log counts for nothing; with it, and half of the rest, for less than it was.
            guard !isFirst || FileSynchronization.synchronize(descriptor) else {
                throw failure(errno, "cannot bring to the disk", path)
            }
            isFirst = false
        }
        guard FileSynchronization.synchronize(descriptor) else {
            throw failure(errno, "cannot bring to the disk", path)
        }
        return true
    }
}
