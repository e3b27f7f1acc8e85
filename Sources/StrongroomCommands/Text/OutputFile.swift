import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written beside its place and appears there when it is complete, readable by its owner alone.
///
/// A process that is killed leaves `NAME.strongroom-part`, which the next one that writes the same file removes.
package final class OutputFile {
    private let path: String
    private let temporary: String
    private let replaces: Bool
    private var descriptor: Int32

    /// - Parameters:
    ///   - path: Where the file is to lie.
    ///   - replaces: Whether a file that lies there is replaced.
    /// - Throws: ``CommandFailure`` when something lies there, or the file cannot be made.
    package init(_ path: String, replaces: Bool) throws {
        self.path = path
        self.replaces = replaces
        temporary = "\(path).strongroom-part"
        descriptor = -1
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { throw ExistingFile.notAFile(path) }
            guard replaces else { throw CommandFailure.exists(path) }
        }
        while try !begin() {}
    }

    deinit { discard() }

    /// Gives the file up: nothing of it is left.
    package func discard() {
        guard descriptor >= 0 else { return }
        unlink(temporary)
        close(descriptor)
        descriptor = -1
    }

    /// Makes the file. What lies in its way is never written to: in a directory that others may write, it could be
    /// theirs.
    ///
    /// - Returns: False when something was in the way that is gone now.
    private func begin() throws -> Bool {
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure("cannot be made") }
            try removeLeftover()
            return false
        }
        // Whoever has just taken it for a leftover has locked it, or removed it.
        guard Self.lock(descriptor), isAtPlace(descriptor) else {
            close(descriptor)
            descriptor = -1
            return false
        }
        // The process's umask may have taken from the owner's permissions, too.
        guard fchmod(descriptor, 0o600) == 0 else {
            let reason = errno
            discard()
            throw failure("cannot be made", reason)
        }
        return true
    }

    /// Removes what a killed process has left; of a link the link alone.
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
        // Held until it is removed: whoever comes meanwhile would remove what this process makes in its place.
        defer { close(left) }
        guard Self.lock(left) else {
            throw CommandFailure(
                "locked", "Another process is writing \"\(path)\". Wait for it, or give another name.",
                .temporaryFailure)
        }
        if isAtPlace(left) { try remove() }
    }

    private func remove() throws {
        guard unlink(temporary) == 0 || errno == ENOENT else { throw inTheWay(errno) }
    }

    /// - Returns: False when another process has the lock. A file system without locks has one writer as far as nobody
    ///   starts a second.
    private static func lock(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Whether an open file is the one that lies beside the place.
    private func isAtPlace(_ descriptor: Int32) -> Bool {
        var (own, there) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, lstat(temporary, &there) == 0 else { return false }
        return own.st_dev == there.st_dev && own.st_ino == there.st_ino
    }

    private func inTheWay(_ number: Int32) -> CommandFailure {
        CommandFailure(
            "inputOutput",
            """
            "\(temporary)" lies there and cannot be removed: \(String(cString: strerror(number))). Somebody else may \
            be writing it: give another name, or remove it when nobody is.
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

    /// Brings the file to the disk and puts it in its place.
    package func finish() throws {
        guard FileSynchronization.synchronize(descriptor) else { throw failure("cannot be brought to the disk") }
        guard replaces ? rename(temporary, path) == 0 : isLinked() else { throw failure("cannot be put in place") }
        close(descriptor)
        descriptor = -1
    }

    /// Puts it where nothing lies: link, unlike rename, never replaces anything, and a file system without links has
    /// rename alone.
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
