#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Putting a file in another one's place.
extension FileSystem {
    /// Puts a finished file in the place of another one, at one stroke.
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

    /// Gives a file the owner and the permissions of another one.
    static func setAccess(like model: FileStatus, of path: String) throws {
        guard let status = try FileStatus.at(path) else { throw failure(ENOENT, "cannot find", path) }
        if status.owner != model.owner || status.group != model.group {
            guard chown(path, model.owner, model.group) == 0 else {
                throw failure(errno, "cannot give to the owner of the database", path)
            }
        }
        guard chmod(path, mode_t(model.permissions)) == 0 else {
            throw failure(errno, "cannot set the permissions of", path)
        }
    }

    /// Bytes.
    private static let beginning = 4_096

    /// Overwrites a file with zeros, its beginning first, and brings them to the disk; where the file system writes in place, nothing of the content is left.
    static func overwrite(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, "cannot open", path) }
        defer { close(descriptor) }
        var rest = Int(lseek(descriptor, 0, SEEK_END))
        guard rest >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure(errno, "cannot overwrite", path) }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var isFirst = true
        while rest > 0 {
            let length = write(descriptor, zeros, min(rest, isFirst ? beginning : zeros.count))
            guard length >= 0 || errno == EINTR else { throw failure(errno, "cannot overwrite", path) }
            rest -= max(length, 0)
            // Without its beginning a log counts for nothing; with it, and half of the rest, for less than it was.
            guard !isFirst || fsync(descriptor) == 0 else { throw failure(errno, "cannot bring to the disk", path) }
            isFirst = false
        }
        guard fsync(descriptor) == 0 else { throw failure(errno, "cannot bring to the disk", path) }
    }
}
