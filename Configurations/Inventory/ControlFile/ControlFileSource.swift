#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a control file's bytes come from: memory, or a descriptor that was opened for reading alone.
///
/// It reads by position and so has no state that two readers could fight over.
final class ControlFileSource: Sendable {
    private enum Storage: Sendable {
        case bytes([UInt8])
        case descriptor(Int32, path: String)
    }

    /// The number of bytes, as it was when the source was made.
    let count: Int

    private let storage: Storage

    init(bytes: [UInt8]) {
        count = bytes.count
        storage = .bytes(bytes)
    }

    init(path: String) throws(ControlFileError) {
        // C would silently take the part before a NUL for the path.
        guard !path.utf8.contains(0) else { throw .cannotOpen(path, reason: ENOENT) }
        // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .cannotOpen(path, reason: errno) }
        do throws(ControlFileError) {
            count = try Self.size(of: descriptor, path: path)
        } catch {
            close(descriptor)
            throw error
        }
        storage = .descriptor(descriptor, path: path)
    }

    deinit {
        if case .descriptor(let descriptor, _) = storage { close(descriptor) }
    }

    private static func size(of descriptor: Int32, path: String) throws(ControlFileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .cannotOpen(path, reason: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size)
        case S_IFDIR: throw .cannotOpen(path, reason: EISDIR)
        default: throw .notRegularFile(path)
        }
    }

    /// Copies bytes from `offset` on, as many as there are and fit; none means that the source ends there.
    func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(ControlFileError) -> Int {
        switch storage {
        case .bytes(let bytes):
            let wanted = min(target.count, bytes.count - offset)
            guard wanted > 0 else { return 0 }
            bytes.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + wanted]))
            }
            return wanted
        case .descriptor(let descriptor, let path):
            // A file that grows while it is read is read as it was when it was opened.
            let wanted = min(target.count, count - offset)
            guard wanted > 0 else { return 0 }
            while true {
                let got = pread(descriptor, target.baseAddress, wanted, off_t(offset))
                if got >= 0 { return got }
                let reason = errno
                guard reason == EINTR else { throw .cannotOpen(path, reason: reason) }
            }
        }
    }
}
