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
    /// - Parameter path: The file; `-` for standard input.
    /// - Throws: ``CommandFailure`` with `noInput` when it cannot be opened.
    package static func file(_ path: String) throws -> ByteSource {
        let input = try InputDescriptor(path)
        return ByteSource { try input.portion() }
    }
}

/// An open file that is closed when nobody refers to it any more.
private final class InputDescriptor {
    private let path: String
    private let descriptor: Int32

    private static let portion = 1 << 16

    init(_ path: String) throws {
        self.path = path
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("noInput", "cannot be opened", .noInput) }
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    func portion() throws -> [UInt8] {
        while true {
            var length = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.portion) { buffer, filled in
                length = systemRead(descriptor, buffer.baseAddress, buffer.count)
                filled = max(0, length)
            }
            if length >= 0 { return bytes }
            guard errno == EINTR else { throw failure("inputOutput", "cannot be read", .inputOutput) }
        }
    }

    private func failure(_ code: String, _ what: String, _ status: ExitStatus) -> CommandFailure {
        let name = path == "-" ? "Standard input" : "«\(path)»"
        return CommandFailure(code, "\(name) \(what): \(String(cString: strerror(errno))).", status)
    }
}

private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, start, count)
}
