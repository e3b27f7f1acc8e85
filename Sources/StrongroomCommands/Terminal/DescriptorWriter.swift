#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes text to a file descriptor without buffering.
struct DescriptorWriter: Sendable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        Self.ignoreBrokenPipes
    }

    /// Whether the descriptor is a terminal.
    var isTerminal: Bool {
        isatty(descriptor) == 1
    }

    /// The width of the terminal in cells; nil if unknown.
    var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes the whole text, and waits for a reader if necessary.
    func write(_ text: String) -> WriteFailure? {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> WriteFailure? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let unwritten = UnsafeRawBufferPointer(rebasing: rest)
            let count = systemWrite(descriptor, unwritten.baseAddress, unwritten.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case EPIPE: return .closed
            case let code: return .failed(errno: code)
            }
        }
        return nil
    }

    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }

    /// Executed once per process: by default the system ends a process that writes to a closed pipe, even in the middle
    /// of an operation on a store.
    private static let ignoreBrokenPipes: Void = {
        _ = signal(SIGPIPE, SIG_IGN)
    }()
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
