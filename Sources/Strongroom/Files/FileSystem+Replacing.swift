#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Replaces files.
extension FileSystem {
    /// Replaces a file by a finished one, atomically.
    static func replace(_ path: String, with finished: String) throws {
        guard rename(finished, path) == 0 else { throw failure(errno, "cannot put in place", path) }
    }

    /// Creates a hard link to a file.
    ///
    /// - Returns: False if the file system does not support hard links.
    static func addName(_ other: String, to path: String) throws -> Bool {
        if link(path, other) == 0 { return true }
        guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else {
            throw failure(errno, "cannot create a hard link to", path)
        }
        return false
    }

    /// Bytes.
    private static let beginning = 4_096

    /// Overwrites a file with zeros, its beginning first, and flushes them to disk. On a file system that writes in
    /// place, nothing of the content remains.
    ///
    /// - Returns: Whether the file was overwritten. A file with further hard links is not overwritten: they may be in
    ///   use by others.
    /// - Throws: ``StrongroomError`` with `notAFile` for a symbolic link, a FIFO or the like, which is neither followed
    ///   nor changed.
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
            // Without its header a log is ignored. With its header and half of its content, it would be an incomplete
            // log.
            guard !isFirst || FileSynchronization.synchronize(descriptor) else {
                throw failure(errno, "cannot flush to disk", path)
            }
            isFirst = false
        }
        guard FileSynchronization.synchronize(descriptor) else {
            throw failure(errno, "cannot flush to disk", path)
        }
        return true
    }
}
