#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes that come in portions: from a file, from standard input, or from a test.
package struct ByteSource {
    private let read: () throws -> [UInt8]

    /// A source that asks a closure for each portion; an empty one is the end.
    package init(_ read: @escaping () throws -> [UInt8]) {
        self.read = read
    }

    /// Bytes that are there already, handed out in portions.
    package init(_ bytes: [UInt8], portion: Int = 1 << 16) {
        var rest = bytes[...]
        self.init {
            defer { rest = rest.dropFirst(portion) }
            return Array(rest.prefix(portion))
        }
    }

    /// The next portion; empty at the end.
    func next() throws -> [UInt8] {
        try read()
    }

    /// The same source, whose first portion is there already.
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
    ///   - isCancelled: Asked while a pipe has nothing to give, and before each portion; by default whether the running
    ///     task is cancelled.
    ///   - progress: Told how many bytes have been read, and how many there are; 0 where that is not known.
    /// - Throws: ``CommandFailure`` with `noInput` when it cannot be opened. Reading throws `CancellationError` once it
    ///   is cancelled.
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

/// An open file that is closed when nobody refers to it any more.
private final class InputDescriptor {
    private let path: String
    private let descriptor: Int32
    private let isCancelled: () -> Bool

    private static let portion = 1 << 16
    /// Milliseconds after which a reader who waits looks whether anybody still wants what he waits for.
    private static let patience: Int32 = 100

    init(_ path: String, _ isCancelled: @escaping () -> Bool) throws {
        self.path = path
        self.isCancelled = isCancelled
        #if os(Linux)
        // A named pipe opens although nobody writes into it yet; there `poll` waits for somebody.
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

    /// In bytes; 0 for what has none, such as a pipe.
    var size: Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int64(status.st_size)
    }

    func portion() throws -> [UInt8] {
        while true {
            try waitUntilReadable()
            var length = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.portion) { buffer, filled in
                length = systemRead(descriptor, buffer.baseAddress, buffer.count)
                filled = max(0, length)
            }
            if length >= 0 { return bytes }
            guard [EINTR, EAGAIN].contains(errno) else { throw failure("inputOutput", "cannot be read", .inputOutput) }
        }
    }

    /// Waits until there is something to read, or the end. Who makes the rows may be silent for ever, and a read cannot
    /// be given up.
    private func waitUntilReadable() throws {
        while true {
            guard !isCancelled() else { throw CancellationError() }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&request, 1, Self.patience)
            // What else is wrong is for the read to tell.
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
