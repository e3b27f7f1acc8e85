#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads lines from a terminal, which can be edited while they are typed.
///
/// A small implementation: the packages available to the project include no line editor, and those of the system are
/// not on every machine that builds it (libedit's headers) or have a licence that would apply to the program
/// (readline).
struct LineTerminal {
    /// A line, or the reason why there is none.
    enum Input: Equatable {
        case line(String)
        case interrupted
        case end
    }

    private let output = DescriptorWriter(descriptor: 1)

    /// Whether lines can be edited: input and output are a terminal that can move its cursor.
    static func isAvailable(_ environment: [String: String]) -> Bool {
        isatty(0) == 1 && isatty(1) == 1 && environment["TERM"] != "dumb" && environment["TERM"] != nil
    }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - history: Earlier lines, oldest first.
    ///   - completer: Returns the possible completions of the word before the cursor.
    func read(_ prompt: String, history: [String], completer: LineEditing.Completer) -> Input {
        TerminalSettings.changing(0, TCSADRAIN, Self.makeRaw) { edited(prompt, history, completer) } ?? .end
    }

    private func edited(_ prompt: String, _ history: [String], _ completer: LineEditing.Completer) -> Input {
        var editing = LineEditing(history: history)
        let keys = LineKeyDecoder(read: Self.readByte, isMoreThere: Self.isMoreThere)
        draw(prompt, editing)
        while let key = keys.next() {
            switch editing.press(key, completer: completer) {
            case .nothing: continue
            case .redraw: draw(prompt, editing)
            case .submit(let line):
                _ = output.write("\r\n")
                return .line(line)
            case .interrupt:
                _ = output.write("^C\r\n")
                return .interrupted
            case .end:
                _ = output.write("\r\n")
                return .end
            case .clearScreen:
                _ = output.write("\u{1B}[H\u{1B}[2J")
                draw(prompt, editing)
            case .show(let candidates):
                _ = output.write("\r\n" + listed(candidates) + "\r\n")
                draw(prompt, editing)
            }
        }
        return .end
    }

    /// Draws the part of the line that fits, including the cursor.
    private func draw(_ prompt: String, _ editing: LineEditing) {
        let room = max(8, (output.terminalWidth ?? 80) - TerminalText.width(of: prompt) - 1)
        let shown = editing.visible(room)
        let column = TerminalText.width(of: prompt) + shown.column
        _ = output.write("\r\u{1B}[K\(prompt)\(shown.text)\r" + (column > 0 ? "\u{1B}[\(column)C" : ""))
    }

    /// Lists the completions in as many columns as fit.
    private func listed(_ candidates: [String]) -> String {
        let safe = candidates.map(TerminalText.escaped)
        let width = (safe.map { TerminalText.width(of: $0) }.max() ?? 0) + 2
        let perLine = max(1, (output.terminalWidth ?? 80) / width)
        return stride(from: 0, to: safe.count, by: perLine).map { start in
            safe[start..<min(start + perLine, safe.count)].map { text in
                text + String(repeating: " ", count: width - TerminalText.width(of: text))
            }.joined()
        }.joined(separator: "\r\n")
    }

    // MARK: The terminal

    /// Passes on each key immediately. Output processing is unchanged, and all settings are restored after the line: a
    /// query can be stopped with Control-C.
    private static func makeRaw(_ settings: inout termios) {
        let output = settings.c_oflag
        cfmakeraw(&settings)
        settings.c_oflag = output
    }

    private static func readByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = systemRead(0, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Milliseconds within which the rest of an escape sequence arrives, also over a slow connection.
    private static let keyTime: Int32 = 50

    private static func isMoreThere() -> Bool {
        var request = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, keyTime) > 0
    }
}

private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, start, count)
}
