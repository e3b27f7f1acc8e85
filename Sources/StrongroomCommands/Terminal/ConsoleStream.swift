/// One of the console's two streams, and what its far end can show.
package struct ConsoleStream: Sendable {
    private enum Destination: Sendable {
        case descriptor(DescriptorWriter)
        case capture(TextCapture)
    }

    /// Whether a terminal is at the far end.
    package let isTerminal: Bool
    /// Whether styles are shown: only on a terminal, never with `TERM=dumb` or with `NO_COLOR` set to anything.
    package let usesColors: Bool
    /// Whether a line can be drawn again: only on a terminal, never with `TERM=dumb`.
    package let redrawsLines: Bool

    private let destination: Destination
    private let defaultWidth: Int

    /// A stream that writes to an open file descriptor and asks the system what is at its far end.
    ///
    /// The process ignores `SIGPIPE` from here on.
    package init(descriptor: Int32, environment: [String: String]) {
        let writer = DescriptorWriter(descriptor: descriptor)
        self.init(destination: .descriptor(writer), isTerminal: writer.isTerminal, environment: environment)
    }

    /// A stream that keeps what is written to it, and takes itself for a terminal if told so.
    package init(capture: TextCapture, isTerminal: Bool = false, environment: [String: String] = [:]) {
        self.init(destination: .capture(capture), isTerminal: isTerminal, environment: environment)
    }

    private init(destination: Destination, isTerminal: Bool, environment: [String: String]) {
        self.destination = destination
        self.isTerminal = isTerminal
        redrawsLines = isTerminal && environment["TERM"] != "dumb"
        usesColors = redrawsLines && (environment["NO_COLOR"] ?? "").isEmpty
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? 0
        defaultWidth = columns > 0 ? columns : 80
    }

    /// The number of cells in a row: what the terminal says now, or else `COLUMNS`, or else 80.
    package var width: Int {
        switch destination {
        case .descriptor(let writer): writer.terminalWidth ?? defaultWidth
        case .capture: defaultWidth
        }
    }

    func rendered(_ text: StyledText) -> String {
        text.rendered(usesColors: usesColors)
    }

    func write(_ text: String) -> WriteFailure? {
        switch destination {
        case .descriptor(let writer):
            return writer.write(text)
        case .capture(let capture):
            capture.append(text)
            return nil
        }
    }
}
