#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads and writes parts of a file through a separate descriptor.
///
/// Only for files that no connection of this process has open: closing the descriptor drops the engine's locks.
package final class PlainFile: FileBytes, Sendable {
    package let path: String
    let descriptor: Int32

    package init(
        _ path: String, isWritable: Bool = false, isCreated: Bool = false, followsLinks: Bool = true
    ) throws {
        self.path = path
        let access = (isWritable ? O_RDWR : O_RDONLY) | (isCreated ? O_CREAT : 0)
        descriptor = try FileSystem.openFile(path, access, followsLinks: followsLinks)
    }

    /// A file that is open; its descriptor is closed with this object.
    package init(_ descriptor: Int32, _ path: String) {
        (self.descriptor, self.path) = (descriptor, path)
    }

    /// Creates an empty file that only its owner can read and write; fails if the path exists.
    ///
    /// Until the file is at its destination, all operations go through this descriptor, or are verified to act on the
    /// same file (``requireOpened(by:as:)``): another program may replace the file at the path.
    init(creating path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileSystem.failure(errno, "cannot create", path) }
        // The process's umask may also have removed permissions of the owner.
        guard fchmod(descriptor, 0o600) == 0 else {
            throw FileSystem.failure(errno, "cannot set the permissions of", path)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func status() throws -> FileStatus { try FileStatus.of(descriptor, path) }

    package func size() throws -> Int64 { try status().size }

    /// Tries to acquire an exclusive lock on the file, which is held until it is closed.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < buffer.count, let start = buffer.baseAddress {
            let length = pread(descriptor, start + done, buffer.count - done, off_t(offset) + off_t(done))
            guard length >= 0 || errno == EINTR else { throw FileSystem.failure(errno, "cannot read", path) }
            if length == 0 { break }
            done += max(length, 0)
        }
        return done
    }

    private static let portion = 1 << 20

    /// Copies the content of a file to another file, which is empty.
    static func copy(
        _ source: String, to target: PlainFile, followsLinks: Bool = true, checkCancellation: () throws -> Void = {}
    ) throws {
        let from = try PlainFile(source, followsLinks: followsLinks)
        try withUnsafeTemporaryAllocation(byteCount: portion, alignment: 16) { buffer in
            var offset: Int64 = 0
            while true {
                try checkCancellation()
                let length = try from.read(at: offset, into: buffer)
                if length == 0 { return }
                try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<length]), at: offset)
                offset += Int64(length)
            }
        }
    }

    package func write(_ bytes: [UInt8], at offset: Int64) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let length = pwrite(descriptor, start + done, bytes.count - done, off_t(offset) + off_t(done))
            guard length >= 0 || errno == EINTR else { throw FileSystem.failure(errno, "cannot write", path) }
            done += max(length, 0)
        }
    }

    package func truncate(to size: Int64) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileSystem.failure(errno, "cannot truncate", path) }
    }

    package func synchronize() throws { try FileSynchronization.synchronize(descriptor, path) }

    /// Sets the owner and the permissions of another file.
    func setAccess(like model: FileStatus) throws {
        let status = try status()
        if status.owner != model.owner || status.group != model.group {
            guard fchown(descriptor, model.owner, model.group) == 0 else {
                throw FileSystem.failure(errno, "cannot set the owner of", path)
            }
        }
        guard fchmod(descriptor, mode_t(model.permissions)) == 0 else {
            throw FileSystem.failure(errno, "cannot set the permissions of", path)
        }
    }
}

/// Moving a new file to its destination.
extension PlainFile {
    /// Throws unless a name refers to this file and is not a symbolic link.
    func requireName(_ name: String) throws {
        guard try FileStatus.ofName(name)?.identity == status().identity else { throw swapped(name) }
    }

    /// Throws unless the engine has opened this file, and not another one that has taken its name since. The file is
    /// empty before and after the check.
    ///
    /// A random mark is written through the descriptor and read through the engine's own handle. Comparing names would
    /// prove nothing, since a name may be changed and changed back.
    func requireOpened(by connection: Connection, as schema: String = "main") throws {
        let engine = try connection.databaseFile(of: schema)
        let mark = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        try write(mark, at: 0)
        let found = try engine.bytes(at: 0, mark.count)
        try truncate(to: 0)
        guard found == mark, try engine.size() == 0 else { throw swapped(path) }
        try requireName(path)
    }

    /// Moves the file to a destination that does not exist; see ``FileSystem/moveIntoPlace(_:_:)``.
    func moveIntoPlace(_ destination: String) throws {
        try requireName(path)
        try FileSystem.moveIntoPlace(path, destination)
        try requireName(destination)
    }

    func replace(_ destination: String) throws {
        try requireName(path)
        try FileSystem.replace(destination, with: path)
        try requireName(destination)
    }

    private func swapped(_ name: String) -> StrongroomError {
        StrongroomError(
            .fileChanged,
            """
            Another program has placed a file or a link at "\(name)" while Strongroom was creating the file there. \
            Nothing was written to it. Check which users may write to the directory; it should be the owner only. \
            Then try again.
            """)
    }
}

/// Flushes a file's content through the caches to the storage medium.
package enum FileSynchronization {
    /// Flushes the system's buffers of an open file or directory to the medium, and waits until that is done.
    ///
    /// On Apple platforms `fsync` does not flush the drive's own cache, which is lost at a power failure; `F_FULLFSYNC`
    /// does. See fsync(2) and fcntl(2) there.
    ///
    /// - Returns: False on failure; `errno` holds the reason.
    package static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        // File systems without this call, such as network file systems.
        guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(errno) else { return false }
        #endif
        return fsync(descriptor) == 0
    }

    /// Flushes a file or directory.
    static func synchronize(_ descriptor: Int32, _ path: String) throws {
        guard synchronize(descriptor) else { throw FileSystem.failure(errno, "cannot flush to disk", path) }
    }
}
