import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system calls that open and lock a report file.
enum ReportDescriptor {
    /// The result of opening.
    enum Opened {
        /// The caller closes the descriptor.
        case opened(Int32)
        case nothing, notRegular, notOpened
    }

    /// A line could not be flushed to disk.
    struct NotSynchronized: Error {}

    /// Opens a regular file for reading and writing; never waits for the other end of a FIFO.
    static func open(_ path: String) -> Opened {
        var status = stat()
        if lstat(path, &status) != 0, errno == ENOENT { return .nothing }
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .notRegular }
        let descriptor = systemOpen(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
        guard descriptor >= 0 else { return .notOpened }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return .notRegular
        }
        return .opened(descriptor)
    }

    /// Creates a file that only its owner can access.
    ///
    /// - Returns: A descriptor for reading and writing, which the caller closes; nil if the file could not be created.
    static func make(_ path: String) -> Int32? {
        let descriptor = systemOpen(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        // The process's umask may also have removed permissions of the owner.
        guard fchmod(descriptor, 0o600) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Locks a file, which is unlocked when it is closed.
    ///
    /// - Returns: False if another process has locked it, or has just replaced it.
    static func lock(_ descriptor: Int32, at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return OutputFile.lock(descriptor) && fstat(descriptor, &own) == 0 && stat(path, &there) == 0
            && own.st_dev == there.st_dev && own.st_ino == there.st_ino
    }

    /// Flushes the written data to disk.
    static func synchronize(_ descriptor: Int32) throws {
        guard FileSynchronization.synchronize(descriptor) else { throw NotSynchronized() }
    }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
