#if os(Linux)
import Foundation
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A terminal, of which a test has the other end.
final class Terminal: Sendable {
    /// What a process gets.
    let handle: FileHandle
    private let master: Int32

    init() throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Glibc's module hides unlockpt and ptsname; these are the requests behind them, TIOCSPTLCK and TIOCGPTN.
        var (isLocked, place) = (Int32(0), Int32(0))
        try #require(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &place) == 0)
        handle = FileHandle(fileDescriptor: open("/dev/pts/\(place)", O_RDWR | O_NOCTTY), closeOnDealloc: true)
    }

    deinit {
        close(master)
    }

    /// Whether what is typed is shown.
    var echoes: Bool { flags & tcflag_t(ECHO) != 0 }

    /// Whether each key is read at once, as at a prompt, and not each line.
    var isReadByKeys: Bool { flags & tcflag_t(ICANON) == 0 }

    private var flags: tcflag_t {
        var settings = termios()
        // One that does not tell is neither read by keys nor silent.
        return tcgetattr(master, &settings) == 0 ? settings.c_lflag : tcflag_t(ECHO | ICANON)
    }

    /// Types text.
    func enter(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(master, bytes, bytes.count) == bytes.count)
    }
}
#endif
