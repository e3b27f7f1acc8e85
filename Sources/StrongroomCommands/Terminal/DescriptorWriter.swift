#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes text to a file descriptor at once, with no buffer in between.
struct DescriptorWriter: Sendable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        Self.ignoreBrokenPipes
    }

    /// Whether a terminal is at the other end.
    var isTerminal: Bool {
        isatty(descriptor) == 1
    }

    /// The number of cells in a row of the terminal, or nothing if that is not known.
    var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes the whole text, and waits for a reader if there has to be one.
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

    /// Done once for the process: without it the system ends a process that writes to a closed pipe, in the
    /// middle of whatever it does to a store.
    private static let ignoreBrokenPipes: Void = {
        _ = signal(SIGPIPE, SIG_IGN)
    }()
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
