#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written beside its place and appears there when it is complete, readable by its owner alone.
///
/// A process that is killed leaves `NAME.strongroom-part`, which the next one that writes the same file begins anew.
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

    /// Makes the file, or takes over what a killed process has left.
    ///
    /// - Returns: False when another process has put it in place or removed it meanwhile.
    private func begin() throws -> Bool {
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be made") }
        do {
            return try takeOver()
        } catch {
            // It is another's.
            close(descriptor)
            descriptor = -1
            throw error
        }
    }

    private func takeOver() throws -> Bool {
        // A file system without locks has one writer at a time as far as nobody starts a second.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw CommandFailure(
                "locked", "Another process is writing «\(path)». Wait for it, or give another name.", .temporaryFailure)
        }
        var (own, there) = (stat(), stat())
        guard fstat(descriptor, &own) == 0 else { throw failure("cannot be made") }
        guard lstat(temporary, &there) == 0, own.st_dev == there.st_dev, own.st_ino == there.st_ino else {
            close(descriptor)
            descriptor = -1
            return false
        }
        guard own.st_mode & S_IFMT == S_IFREG else { throw ExistingFile.notAFile(temporary) }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else { throw failure("cannot be made") }
        return true
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
        guard fsync(descriptor) == 0 else { throw failure("cannot be brought to the disk") }
        guard replaces ? rename(temporary, path) == 0 : isLinked() else { throw failure("cannot be put in place") }
        close(descriptor)
        descriptor = -1
    }

    /// Puts it where nothing lies: link, unlike rename, never replaces anything, and a file system without links has rename alone.
    private func isLinked() -> Bool {
        if link(temporary, path) == 0 { return unlink(temporary) == 0 }
        guard [EPERM, ENOTSUP, ENOSYS].contains(errno), access(path, F_OK) != 0 else { return false }
        return rename(temporary, path) == 0
    }

    private func failure(_ what: String, _ number: Int32 = errno) -> CommandFailure {
        CommandFailure("inputOutput", "«\(path)» \(what): \(String(cString: strerror(number))).", .inputOutput)
    }
}
