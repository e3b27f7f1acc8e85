import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes that are read in chunks: from a file, from standard input, or from a test.
package struct ByteSource {
    private let read: () throws -> [UInt8]

    /// A source that calls a closure for each chunk; an empty one is the end.
    package init(_ read: @escaping () throws -> [UInt8]) {
        self.read = read
    }

    /// A source of bytes in memory, returned in chunks.
    package init(_ bytes: [UInt8], portion: Int = 1 << 16) {
        var rest = bytes[...]
        self.init {
            defer { rest = rest.dropFirst(portion) }
            return Array(rest.prefix(portion))
        }
    }

    /// The next chunk; empty at the end.
    func next() throws -> [UInt8] {
        try read()
    }

    /// The same source with its first chunk already read.
    func readingAhead() throws -> ByteSource {
        var first: [UInt8]? = try next()
        return ByteSource {
            defer { first = nil }
            return try first ?? next()
        }
    }

    /// A file's bytes, or those of standard input.
    ///
    /// - Parameters:
    ///   - path: The file; `-` for standard input.
    ///   - isCancelled: Called while a pipe has no data, and before each chunk; by default whether the current task is
    ///     cancelled.
    ///   - progress: Called with the number of bytes read and the total; the total is 0 if it is unknown.
    /// - Throws: ``CommandFailure`` with `noInput` if the file cannot be opened. Reading throws `CancellationError`
    ///   after a cancellation.
    package static func file(
        _ path: String, isCancelled: @escaping () -> Bool = { Task.isCancelled },
        progress: @escaping (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> ByteSource {
        let input = try InputDescriptor(path, isCancelled)
        let total = input.size
        var done: Int64 = 0
        return ByteSource {
            let portion = try input.portion()
            done += Int64(portion.count)
            progress(done, total)
            return portion
        }
    }
}

/// An open file that is closed when the last reference is released.
private final class InputDescriptor {
    private let path: String
    private let descriptor: Int32
    private let isCancelled: () -> Bool

    private static let portion = 1 << 16
    /// Milliseconds between two checks for cancellation while waiting for data.
    private static let patience: Int32 = 100

    init(_ path: String, _ isCancelled: @escaping () -> Bool) throws {
        self.path = path
        self.isCancelled = isCancelled
        #if os(Linux)
        // Opening a named pipe succeeds without a writer; `poll` waits for one.
        let mode = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        #else
        let mode = O_RDONLY | O_CLOEXEC
        #endif
        descriptor = path == "-" ? 0 : open(path, mode)
        guard descriptor >= 0 else { throw failure("noInput", "cannot be opened", .noInput) }
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    /// In bytes; 0 for a file without a size, such as a pipe.
    var size: Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int64(status.st_size)
    }

    func portion() throws -> [UInt8] {
        while true {
            try waitUntilReadable()
            var length = 0
            let bytes = [UInt8](capacity: Self.portion) { buffer, filled in
                length = systemRead(descriptor, buffer.baseAddress, buffer.count)
                filled = max(0, length)
            }
            if length >= 0 { return bytes }
            guard [EINTR, EAGAIN].contains(errno) else { throw failure("inputOutput", "cannot be read", .inputOutput) }
        }
    }

    /// Waits for data or the end of the file. The writer may be idle indefinitely, and a blocking read cannot be
    /// cancelled.
    private func waitUntilReadable() throws {
        while true {
            guard !isCancelled() else { throw CancellationError() }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&request, 1, Self.patience)
            // The read reports any other error.
            if count > 0 || count < 0 && errno != EINTR { return }
        }
    }

    private func failure(_ code: String, _ what: String, _ status: ExitStatus) -> CommandFailure {
        let name = path == "-" ? "Standard input" : "\"\(path)\""
        return CommandFailure(code, "\(name) \(what): \(String(cString: strerror(errno))).", status)
    }
}

private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, start, count)
}
