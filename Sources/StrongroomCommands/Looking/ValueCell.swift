import Strongroom

/// How a value looks in a table that a person reads.
enum ValueCell {
    /// Characters of a text, and bytes of a blob, that are shown.
    private static let longestText = 4_000
    private static let longestBlob = 16

    static func text(_ value: Value) -> StyledText {
        switch value {
        case .null: StyledText("NULL", .dim)
        case .integer(let number): StyledText(String(number))
        case .real(let number): StyledText(String(number))
        case .text(let text):
            text.utf8.count <= longestText ? StyledText(text) : StyledText(text.prefix(longestText) + "…")
        case .blob(let bytes): blob(bytes)
        }
    }

    /// The first bytes as SQL has them, and how many there are.
    private static func blob(_ bytes: [UInt8]) -> StyledText {
        let digits = bytes.prefix(longestBlob).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        guard bytes.count > longestBlob else { return StyledText("x'\(digits.joined())'") }
        return "x'\(digits.joined())…\(" \(HumanReadable.bytes(bytes.count))", .dim)"
    }
}
