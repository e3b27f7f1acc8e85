/// One of the console's two streams, and its capabilities.
package struct ConsoleStream: Sendable {
    private enum Destination: Sendable {
        case descriptor(DescriptorWriter)
        case capture(TextCapture)
    }

    /// Whether the stream is a terminal.
    package let isTerminal: Bool
    /// Whether styles are displayed: only on a terminal, never with `TERM=dumb` or with `NO_COLOR` set to any value.
    package let usesColors: Bool
    /// Whether a line can be redrawn: only on a terminal, never with `TERM=dumb`.
    package let redrawsLines: Bool

    private let destination: Destination
    private let defaultWidth: Int

    /// A stream for an open file descriptor, whose capabilities are queried from the system.
    ///
    /// The process ignores `SIGPIPE` from then on.
    package init(descriptor: Int32, environment: [String: String]) {
        let writer = DescriptorWriter(descriptor: descriptor)
        self.init(destination: .descriptor(writer), isTerminal: writer.isTerminal, environment: environment)
    }

    /// A stream that stores its output, and optionally behaves as a terminal.
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

    /// The number of cells in a row: the current width of the terminal, else `COLUMNS`, else 80.
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
