#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads and writes parts of a file through a descriptor of its own.
///
/// Only for a file that no connection of this process is open to: closing the descriptor drops the engine's locks.
final class PlainFile: FileBytes, Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Parameter isWritable: Whether it may also be written.
    init(_ path: String, isWritable: Bool = false) throws {
        self.path = path
        descriptor = open(path, (isWritable ? O_RDWR : O_RDONLY) | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSystem.failure(errno, "cannot open", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func size() throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure(errno, "cannot look at", path) }
        return Int64(status.st_size)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < buffer.count, let start = buffer.baseAddress {
            let length = pread(descriptor, start + done, buffer.count - done, off_t(offset) + off_t(done))
            guard length >= 0 || errno == EINTR else { throw FileSystem.failure(errno, "cannot read", path) }
            if length == 0 { break }
            done += max(length, 0)
        }
        return done
    }

    /// Bytes that are copied at one time.
    private static let portion = 1 << 20

    /// Copies a file's bytes into another one, which is there and empty.
    ///
    /// - Parameter goOn: Called now and then; what it throws ends the copying.
    static func copy(_ source: String, to target: String, goOn: () throws -> Void = {}) throws {
        let (from, to) = (try PlainFile(source), try PlainFile(target, isWritable: true))
        try withUnsafeTemporaryAllocation(byteCount: portion, alignment: 16) { buffer in
            var offset: Int64 = 0
            while true {
                try goOn()
                let length = try from.read(at: offset, into: buffer)
                if length == 0 { return }
                try to.write(UnsafeRawBufferPointer(rebasing: buffer[..<length]), at: offset)
                offset += Int64(length)
            }
        }
    }

    /// Writes bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let length = pwrite(descriptor, start + done, bytes.count - done, off_t(offset) + off_t(done))
            guard length >= 0 || errno == EINTR else { throw FileSystem.failure(errno, "cannot write", path) }
            done += max(length, 0)
        }
    }

    /// Gives the file another length, and brings that to the disk.
    func cut(to length: Int64) throws {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw FileSystem.failure(errno, "cannot cut off", path) }
        guard fsync(descriptor) == 0 else { throw FileSystem.failure(errno, "cannot bring to the disk", path) }
    }
}
