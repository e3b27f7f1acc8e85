#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Opening what others may have put in the place of a file.
extension FileSystem {
    /// Opens a regular file; never waits for the other end of a FIFO, and never opens a device.
    ///
    /// What the name stands for is looked at first, and once more through the descriptor: the name may stand for
    /// something else by then.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - access: `O_RDONLY`, `O_WRONLY` or `O_RDWR`.
    ///   - followsLinks: Whether the path may end in a symbolic link.
    /// - Returns: A descriptor, to be closed by the caller.
    /// - Throws: ``StrongroomError`` with `notAFile` for anything but a regular file, `fileMissing`,
    ///   `permissionDenied`.
    static func openFile(_ path: String, _ access: Int32, followsLinks: Bool) throws -> Int32 {
        let there = try followsLinks ? FileStatus.at(path) : FileStatus.ofName(path)
        if let there, !there.isRegularFile { throw notRegular(path, there) }
        let flags = access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw failure(errno, "cannot open", path) }
        do {
            let status = try FileStatus.of(descriptor, path)
            guard status.isRegularFile else { throw notRegular(path, status) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Throws when something else than a regular file has the name of a file that belongs to a database.
    ///
    /// - Returns: Its status; nil when nothing has the name.
    /// - Throws: ``StrongroomError`` with `notAFile`.
    @discardableResult
    static func requireRegular(_ path: String) throws -> FileStatus? {
        guard let status = try FileStatus.ofName(path) else { return nil }
        guard status.isRegularFile else { throw notRegular(path, status) }
        return status
    }

    /// Whether others than the user of the process and root may make files in a directory, or replace those that are
    /// there.
    static func isShared(directory: String) throws -> Bool {
        guard let status = try FileStatus.at(directory) else { return false }
        return ![0, geteuid()].contains(status.owner) || status.permissions & 0o022 != 0
    }

    private static func notRegular(_ path: String, _ status: FileStatus) -> StrongroomError {
        StrongroomError(
            .notAFile,
            """
            What lies at "\(path)" is \(status.kind), where a regular file belongs. It was neither followed nor \
            changed. Find out who put it there, and remove it.
            """)
    }
}
