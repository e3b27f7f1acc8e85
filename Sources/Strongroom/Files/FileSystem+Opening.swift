#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Opens files that another program may have replaced.
extension FileSystem {
    /// Opens a regular file; never waits for the other end of a FIFO, and never opens a device.
    ///
    /// The file type is checked before opening, and again through the descriptor, since the file may be replaced in
    /// between.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - access: `O_RDONLY`, `O_WRONLY` or `O_RDWR`; with `O_CREAT` to create a file if there is none.
    ///   - followsLinks: Whether the path may end in a symbolic link.
    /// - Returns: A descriptor, which the caller closes.
    /// - Throws: ``StrongroomError`` with `notAFile` for anything but a regular file, `fileMissing`,
    ///   `permissionDenied`.
    static func openFile(_ path: String, _ access: Int32, followsLinks: Bool) throws -> Int32 {
        let existing = try followsLinks ? FileStatus.at(path) : FileStatus.ofName(path)
        if let existing, !existing.isRegularFile { throw notRegular(path, existing) }
        let flags = access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags, 0o600)
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

    /// Throws if the path of a database's file refers to something other than a regular file.
    ///
    /// - Returns: The file's status; nil if it does not exist.
    /// - Throws: ``StrongroomError`` with `notAFile`.
    @discardableResult
    static func requireRegular(_ path: String) throws -> FileStatus? {
        guard let status = try FileStatus.ofName(path) else { return nil }
        guard status.isRegularFile else { throw notRegular(path, status) }
        return status
    }

    /// Whether users other than the current user and root may create or replace files in a directory.
    static func isShared(directory: String) throws -> Bool {
        guard let status = try FileStatus.at(directory) else { return false }
        return ![0, geteuid()].contains(status.owner) || status.permissions & 0o022 != 0
    }

    private static func notRegular(_ path: String, _ status: FileStatus) -> StrongroomError {
        StrongroomError(
            .notAFile,
            """
            "\(path)" is \(status.kind) instead of a regular file. It was neither followed nor changed. Find out \
            which program created it, and remove it.
            """)
    }
}
