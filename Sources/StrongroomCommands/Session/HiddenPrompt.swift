#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Prompts for a line on the terminal of the process without echo.
enum HiddenPrompt {
    /// Bytes.
    private static let longest = 4_096

    /// - Returns: The line without its end; nil if the process has no terminal.
    /// - Throws: `CancellationError` for Ctrl-C; ``CommandFailure`` with `invalidKey` for a line that is too long, with
    ///   `inputOutput` for a line without an end.
    static func ask(_ prompt: String) throws -> [UInt8]? {
        // Not standard input, which may be a pipe with data.
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        return try TerminalSettings.changing(terminal, TCSAFLUSH) { settings in
            // Signals are disabled, so that Ctrl-C only cancels the prompt.
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        } _: {
            show("\(TerminalText.escaped(prompt)): ", on: terminal)
            defer { show("\n", on: terminal) }
            return try line(from: terminal)
        }
    }

    private static func line(from terminal: Int32) throws -> [UInt8] {
        var line = HiddenLine(longest: longest)
        while true {
            var byte: UInt8 = 0
            let length = read(terminal, &byte, 1)
            if length < 0, errno == EINTR { continue }
            switch length > 0 ? line.process(byte) : .end {
            case .more: continue
            case .end where length <= 0 && !line.bytes.isEmpty:
                line.wipe()
                throw CommandFailure(
                    "inputOutput", "The terminal was closed before the end of the line. Try again.", .inputOutput)
            case .end:
                guard line.isTooLong else { return line.bytes }
                throw CommandFailure(
                    "invalidKey",
                    "The typed line is longer than \(longest) bytes. Use --key-file for the key instead.",
                    .configuration)
            case .interrupted:
                line.wipe()
                throw CancellationError()
            }
        }
    }

    private static func show(_ text: String, on terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }
}
