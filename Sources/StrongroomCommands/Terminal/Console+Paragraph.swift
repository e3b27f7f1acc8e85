extension Console {
    /// Writes text of any length: on a terminal it is wrapped between words, and further lines are indented like the
    /// first.
    ///
    /// - Parameters:
    ///   - lead: The text before it in the first line.
    ///   - text: The text.
    ///   - style: The style of the text.
    ///   - indent: The indentation of further lines, in cells; nil for the width of the lead.
    ///   - channel: The output channel.
    package func write(
        lead: StyledText, paragraph text: String, _ style: TextStyle = [], indent: Int? = nil,
        to channel: Channel = .output
    ) {
        let stream = self[channel]
        let lines = stream.isTerminal ? Self.lines(of: text, stream.width, lead.width, indent ?? lead.width) : [text]
        let margin = String(repeating: " ", count: indent ?? lead.width)
        for (number, line) in lines.enumerated() {
            write(number == 0 ? "\(lead)\(line, style)" : "\(margin)\(line, style)", to: channel)
        }
    }

    private static func lines(of text: String, _ width: Int, _ first: Int, _ indent: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var room = width - first
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let length = TerminalText.width(of: TerminalText.escaped(String(word)))
            let used = TerminalText.width(of: TerminalText.escaped(line))
            // The terminal wraps a word that is longer than a line.
            if !line.isEmpty, used + 1 + length > room {
                lines.append(line)
                line = String(word)
                room = width - indent
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return lines + [line]
    }
}
