#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The source of a control file's bytes: memory, or a descriptor that is opened read-only.
///
/// Reads are positional, so readers share no state.
final class ControlFileSource: Sendable {
    private enum Storage: Sendable {
        case bytes([UInt8])
        case descriptor(Int32, path: String)
    }

    /// The number of bytes when the source was created.
    let count: Int

    private let storage: Storage

    init(bytes: [UInt8]) {
        count = bytes.count
        storage = .bytes(bytes)
    }

    init(path: String) throws(ControlFileError) {
        // C would silently truncate the path at a NUL.
        guard !path.utf8.contains(0) else { throw .cannotOpen(path, reason: ENOENT) }
        // Without O_NONBLOCK, opening a pipe without a writer would block.
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

    /// Copies bytes from `offset` on, as many as available and fit; none at the end of the source.
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
            // A file that grows while it is read is read up to its size when it was opened.
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
