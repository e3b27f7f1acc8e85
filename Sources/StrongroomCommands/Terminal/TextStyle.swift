/// The style of a piece of text. The console applies it if colours are enabled.
package struct TextStyle: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let bold = TextStyle(rawValue: 1 << 0)
    package static let dim = TextStyle(rawValue: 1 << 1)
    package static let underlined = TextStyle(rawValue: 1 << 2)
    package static let red = TextStyle(rawValue: 1 << 3)
    package static let green = TextStyle(rawValue: 1 << 4)
    package static let yellow = TextStyle(rawValue: 1 << 5)
    package static let blue = TextStyle(rawValue: 1 << 6)
    package static let cyan = TextStyle(rawValue: 1 << 7)

    private static let codes: [(style: TextStyle, code: String)] = [
        (.bold, "1"), (.dim, "2"), (.underlined, "4"),
        (.red, "31"), (.green, "32"), (.yellow, "33"), (.blue, "34"), (.cyan, "36"),
    ]

    /// The text between the control sequence for the style and the one that resets all styles.
    func applied(to text: String) -> String {
        guard !isEmpty else { return text }
        let codes = Self.codes.filter { contains($0.style) }.map(\.code)
        return "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
    }
}
