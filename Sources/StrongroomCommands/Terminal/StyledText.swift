/// One line of text with styles for its parts, safe to display on a terminal regardless of the data in it.
///
/// Write it as a literal; interpolated values are escaped, so that data cannot end the line or send a control sequence
/// to the terminal:
///
///     console.write("Opened \(path, .bold)")
package struct StyledText: Equatable, Sendable {
    struct Span: Equatable, Sendable {
        var text: String
        var style: TextStyle
    }

    private(set) var spans: [Span]

    /// The text in one style.
    package init(_ text: String, _ style: TextStyle = []) {
        spans = text.isEmpty ? [] : [Span(text: TerminalText.escaped(text), style: style)]
    }

    /// The text without styles.
    package var plain: String {
        spans.map(\.text).joined()
    }

    /// The width of the text on a terminal, in cells.
    package var width: Int {
        spans.reduce(0) { $0 + TerminalText.width(of: $1.text) }
    }

    package mutating func append(_ other: StyledText) {
        spans += other.spans
    }

    /// The text with control sequences for its styles, if colours are enabled.
    package func rendered(usesColors: Bool) -> String {
        usesColors ? spans.map { $0.style.applied(to: $0.text) }.joined() : plain
    }

    /// The text if it fits into the number of cells, otherwise its beginning and `…`.
    package func truncated(to limit: Int) -> StyledText {
        guard width > limit else { return self }
        guard limit > 0 else { return StyledText("") }
        var room = limit - 1
        var result = StyledText("")
        for span in spans {
            let kept = Self.prefix(of: span.text, fitting: &room)
            guard kept.count == span.text.count else {
                result.spans.append(Span(text: kept + "…", style: span.style))
                return result
            }
            result.spans.append(span)
        }
        return result
    }

    /// The text without trailing whitespace.
    func trimmingEnd() -> StyledText {
        var result = self
        while var last = result.spans.popLast() {
            // By scalars: the character "space and accent" counts as whitespace but displays the accent.
            let end = last.text.unicodeScalars.lastIndex { !$0.properties.isWhitespace }
            guard let end else { continue }
            last.text = String(last.text.unicodeScalars[...end])
            result.spans.append(last)
            break
        }
        return result
    }

    private static func prefix(of text: String, fitting room: inout Int) -> Substring {
        for index in text.indices {
            let width = TerminalText.width(of: text[index])
            guard width <= room else { return text[..<index] }
            room -= width
        }
        return text[...]
    }
}

extension StyledText: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        self.init(text)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.text
    }

    /// Collects the parts of a literal with their styles.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = StyledText("")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            text.append(StyledText(literal))
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: TextStyle = []) {
            text.append(StyledText(value.description, style))
        }

        package mutating func appendInterpolation(_ other: StyledText) {
            text.append(other)
        }
    }
}
