/// The interpretation of text by a terminal: the characters that it acts on, and the width of the others in cells.
package enum TerminalText {
    /// The text with escapes for all characters that would move the cursor, end the line, start a control sequence or
    /// reverse the writing direction: `\n`, `\u{1B}`, `\u{202E}`.
    ///
    /// For display only: a backslash is not escaped, so the result is not reversible.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            result.append(isUnsafe(scalar) ? spelledOut(scalar) : String(scalar))
        }
    }

    /// The width of a text without control characters, in cells.
    package static func width(of text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
    }

    /// Two for an emoji, otherwise the sum of its scalars.
    package static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, !first.isASCII || scalars.count > 1 else { return 1 }
        let asksForEmoji = first.properties.isEmoji && scalars.contains("\u{FE0F}")
        if asksForEmoji || first.properties.isEmojiPresentation { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    /// Whether a terminal would act on the character instead of displaying it, or display its neighbours elsewhere.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isBidiControl
        }
    }

    private static func spelledOut(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        if joinsJamo.contains(where: { $0.contains(value) }) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        case .format where scalar.properties.isDefaultIgnorableCodePoint: return 0
        default: return isWide(value) ? 2 : 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        value >= 0x1100 && wide.contains { $0.contains(value) }
    }

    /// Vowels and final consonants of Hangul, which are included in the two cells of the first consonant.
    private static let joinsJamo: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7FF]

    /// The wide and full-width characters in `EastAsianWidth.txt` of Unicode 15, without emoji, by complete blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
