import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written under a temporary name and renamed when it is complete, by default readable only by its
/// owner.
///
/// A killed process leaves `NAME.strongroom-part`, which the next process that writes the same file removes.
package final class OutputFile {
    private let path: String
    private let temporary: String
    private let replaces: Bool
    private let mode: UInt32
    private var descriptor: Int32

    /// - Parameters:
    ///   - path: The destination of the file.
    ///   - replaces: Whether an existing file is replaced.
    ///   - mode: The permissions of the finished file.
    /// - Throws: ``CommandFailure`` if the destination exists, or the file cannot be created.
    package init(_ path: String, replaces: Bool, mode: UInt32 = 0o600) throws {
        self.path = path
        self.replaces = replaces
        self.mode = mode
        temporary = "\(path).strongroom-part"
        descriptor = -1
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { throw ExistingFile.notAFile(path) }
            guard replaces else { throw CommandFailure.exists(path) }
        } else if !replaces, lstat(path, &status) == 0 {
            throw CommandFailure(
                "exists",
                """
                "\(path)" is a symbolic link to a file that does not exist. Use another name, or --force to replace \
                the link.
                """,
                .cannotCreate)
        }
        while try !begin() {}
    }

    deinit { discard() }

    /// Discards the file; nothing of it remains.
    package func discard() {
        guard descriptor >= 0 else { return }
        unlink(temporary)
        close(descriptor)
        descriptor = -1
    }

    /// Creates the file. An existing file is never written to: in a shared directory it could belong to another user.
    ///
    /// - Returns: False if there was an existing file that is gone now.
    private func begin() throws -> Bool {
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure("cannot be created") }
            try removeLeftover()
            return false
        }
        // A process that considers the file a leftover has locked or removed it.
        guard Self.lock(descriptor), isAtPath(descriptor) else {
            close(descriptor)
            descriptor = -1
            return false
        }
        // The process's umask may also have removed permissions of the owner.
        guard fchmod(descriptor, mode_t(mode)) == 0 else {
            let reason = errno
            discard()
            throw failure("cannot be created", reason)
        }
        return true
    }

    /// Removes the leftover of a killed process; of a link only the link itself.
    private func removeLeftover() throws {
        var status = stat()
        guard lstat(temporary, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFLNK: try remove()
        case S_IFREG: try removeUnlessInUse()
        default: throw ExistingFile.notAFile(temporary)
        }
    }

    private func removeUnlessInUse() throws {
        let left = open(temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard left >= 0 else {
            if errno == ENOENT { return }
            throw inTheWay(errno)
        }
        // The lock is held until the leftover is removed: otherwise another process would remove the file that this
        // process creates.
        defer { close(left) }
        guard Self.lock(left) else {
            throw CommandFailure(
                "locked", "Another process is writing \"\(path)\". Wait for it, or use another name.",
                .temporaryFailure)
        }
        if isAtPath(left) { try remove() }
    }

    private func remove() throws {
        guard unlink(temporary) == 0 || errno == ENOENT else { throw inTheWay(errno) }
    }

    /// - Returns: False if another process has the lock. On a file system without locks, two writers are not detected.
    static func lock(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Whether an open file is the one at the temporary path.
    private func isAtPath(_ descriptor: Int32) -> Bool {
        var (own, there) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, lstat(temporary, &there) == 0 else { return false }
        return own.st_dev == there.st_dev && own.st_ino == there.st_ino
    }

    private func inTheWay(_ number: Int32) -> CommandFailure {
        CommandFailure(
            "inputOutput",
            """
            "\(temporary)" exists and cannot be removed: \(String(cString: strerror(number))). Another process may \
            be writing it: use another name, or remove it when no process is.
            """, .inputOutput)
    }

    /// Writes text.
    package func write(_ text: String) throws {
        switch DescriptorWriter(descriptor: descriptor).write(text) {
        case nil: return
        case .closed: throw failure("cannot be written", EPIPE)
        case .failed(let number): throw failure("cannot be written", number)
        }
    }

    /// Flushes the file to disk and moves it to its destination.
    package func finish() throws {
        guard FileSynchronization.synchronize(descriptor) else { throw failure("cannot be flushed to disk") }
        guard replaces ? rename(temporary, path) == 0 : isLinked() else { throw failure("cannot be put in place") }
        close(descriptor)
        descriptor = -1
    }

    /// Moves the file to a destination that does not exist: link, unlike rename, never replaces a file, and a file
    /// system without hard links only has rename.
    private func isLinked() -> Bool {
        if link(temporary, path) == 0 { return unlink(temporary) == 0 }
        guard [EPERM, ENOTSUP, ENOSYS].contains(errno), access(path, F_OK) != 0 else { return false }
        return rename(temporary, path) == 0
    }

    private func failure(_ what: String, _ number: Int32 = errno) -> CommandFailure {
        let isDenied = [EACCES, EPERM, EROFS].contains(number)
        return CommandFailure(
            isDenied ? "permissionDenied" : "inputOutput",
            "\"\(path)\" \(what): \(String(cString: strerror(number))).", isDenied ? .noPermission : .inputOutput)
    }
}
