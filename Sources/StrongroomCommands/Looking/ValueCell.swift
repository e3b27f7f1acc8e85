import Strongroom

/// The display of a value in a table.
enum ValueCell {
    /// The maximum number of characters of a text, or bytes of a blob, that are displayed.
    private static let longestText = 4_000
    private static let longestBlob = 16

    static func text(_ value: SQLValue) -> StyledText {
        switch value {
        case .null: StyledText("NULL", .dim)
        case .integer(let number): StyledText(String(number))
        case .real(let number): StyledText(String(number))
        case .text(let text):
            text.utf8.count <= longestText ? StyledText(text) : StyledText(text.prefix(longestText) + "…")
        case .blob(let bytes): blob(bytes)
        }
    }

    /// The first bytes as an SQL literal, and the total number.
    private static func blob(_ bytes: [UInt8]) -> StyledText {
        let digits = bytes.prefix(longestBlob).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        guard bytes.count > longestBlob else { return StyledText("x'\(digits.joined())'") }
        return "x'\(digits.joined())…\(" \(HumanReadable.bytes(bytes.count))", .dim)"
    }
}
