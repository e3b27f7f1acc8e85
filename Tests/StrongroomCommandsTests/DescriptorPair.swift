import Foundation
import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Two connected file descriptors, closed when released.
final class DescriptorPair: Sendable {
    struct Unavailable: Error {
        let code = errno
    }

    let reading: Int32
    let writing: Int32
    private let open = Locked((reading: true, writing: true))

    private init(reading: Int32, writing: Int32) {
        self.reading = reading
        self.writing = writing
    }

    deinit {
        closeReading()
        closeWriting()
    }

    static func pipe() throws -> DescriptorPair {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { throw Unavailable() }
        return DescriptorPair(reading: ends[0], writing: ends[1])
    }

    /// A terminal to write to, and the end that sees what it shows.
    static func terminal() throws -> DescriptorPair {
        let reading = systemOpen("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard reading >= 0 else { throw Unavailable() }
        let writing = terminalName(reading).map { systemOpen($0, O_RDWR | O_NOCTTY) } ?? -1
        guard writing >= 0 else { throw Unavailable() }
        return DescriptorPair(reading: reading, writing: writing)
    }

    /// What is there to read now.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = systemRead(reading, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Starts a thread that reads until the other end is closed. The threads for tasks would not do, because all of
    /// them may be waiting for somebody to read.
    func readToEnd() -> AsyncStream<String> {
        let (parts, continuation) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            while case let part = self.read(), !part.isEmpty { continuation.yield(part) }
            continuation.finish()
        }
        return parts
    }

    func closeReading() {
        closeOnce(reading, \.reading)
    }

    func closeWriting() {
        closeOnce(writing, \.writing)
    }

    private func closeOnce(_ descriptor: Int32, _ end: WritableKeyPath<(reading: Bool, writing: Bool), Bool>) {
        let wasOpen = open.withLock { open in
            defer { open[keyPath: end] = false }
            return open[keyPath: end]
        }
        if wasOpen { _ = close(descriptor) }
    }
}

private func terminalName(_ descriptor: Int32) -> String? {
    #if os(Linux)
    // Glibc's module hides unlockpt and ptsname; these are the requests behind them, TIOCSPTLCK and TIOCGPTN.
    var isLocked: Int32 = 0
    var number: Int32 = 0
    guard ioctl(descriptor, 0x4004_5431, &isLocked) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
        return nil
    }
    return "/dev/pts/\(number)"
    #else
    guard grantpt(descriptor) == 0, unlockpt(descriptor) == 0 else { return nil }
    return ptsname(descriptor).map { String(cString: $0) }
    #endif
}

private func systemPipe(_ ends: inout [Int32]) -> Int32 {
    pipe(&ends)
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    open(path, flags)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
