#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written beside its place and appears there when it is complete, readable by its owner alone.
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
        temporary = "\(path).part-\(getpid())"
        descriptor = -1
        guard replaces || access(path, F_OK) != 0 else {
            throw CommandFailure(
                "exists", "«\(path)» is there already. Give another name, or --force to replace it.", .failure)
        }
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be made") }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(temporary)
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
