import Strongroom

/// Creates the error for a mistake in a predicate text: a description, the column, and the line with a caret below the
/// position.
struct FormatMistake {
    private let bytes: [UInt8]

    /// The maximum length of the parts of the line shown before and after the position.
    private static let reach = 60

    init(in text: String) {
        bytes = Array(text.utf8)
    }

    /// - Parameters:
    ///   - message: What is wrong and what to do; contains no value.
    ///   - position: The byte offset of the mistake.
    func error(
        _ message: String, at position: Int, code: StrongroomError.Code = .invalidPredicate
    ) -> StrongroomError {
        let position = min(max(position, 0), bytes.count)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<position].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[position...].firstIndex(of: newline) ?? bytes.count
        let hidden = hiddenBytes()
        let before = shown(start..<position, hidden)
        let behind = shown(position..<end, hidden)
        let line = bytes[..<start].count { $0 == newline } + 1
        let location = line > 1 ? "Line \(line), column \(before.count + 1)" : "Column \(before.count + 1)"
        let isCut = before.count > Self.reach
        let head = (isCut ? "…" : "") + String(before.suffix(Self.reach))
        let tail = String(behind.prefix(Self.reach)) + (behind.count > Self.reach ? "…" : "")
        let indent = String(head.map { $0 == "\t" ? "\t" : " " })
        return StrongroomError(code, "\(message) \(location):\n    \(head)\(tail)\n    \(indent)^")
    }

    /// A part of the text, with the same number of characters: values are replaced by dots, since no message contains
    /// one.
    private func shown(_ range: Range<Int>, _ hidden: [Bool]) -> [Character] {
        var characters: [Character] = []
        var index = range.lowerBound
        while index < range.upperBound {
            var end = index + 1
            while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
            let text = String(decoding: bytes[index..<end], as: UTF8.self)
            characters.append(hidden[index] ? "·" : Self.visible(text))
            index = end
        }
        return characters
    }

    private static func visible(_ text: String) -> Character {
        guard let scalar = text.unicodeScalars.first, scalar != PredicateFormat.placeholder else { return "…" }
        switch scalar.properties.generalCategory {
        case .control where scalar != "\t", .format, .lineSeparator, .paragraphSeparator: return "�"
        default: return Character(scalar)
        }
    }

    /// The bytes that belong to a quoted text, terminated or not, or to a number.
    private func hiddenBytes() -> [Bool] {
        var hidden = Array(repeating: false, count: bytes.count)
        var quote: UInt8?
        var isEscaped = false
        var isInWord = false
        var isLost = false
        var first: Int?
        for (index, byte) in bytes.enumerated() {
            if let open = quote {
                if byte == open, !isEscaped {
                    quote = nil
                    // A word directly after it: the quotes are misplaced.
                    isLost = isLost || index + 1 < bytes.count && bytes[index + 1].isWordByte
                } else {
                    hidden[index] = true
                }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
                first = first ?? index
                isInWord = false
            } else {
                let isNumber = index > 0 && hidden[index - 1] && (byte == UInt8(ascii: ".") || byte.isWordByte)
                hidden[index] = !isInWord && (byte.isDigit || isNumber)
                isInWord = !hidden[index] && (byte.isWordByte || isInWord && byte == UInt8(ascii: "."))
            }
        }
        if let first, isLost || quote != nil {
            for index in (first + 1)..<max(first + 1, bytes.count) { hidden[index] = true }
        }
        return hidden
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte may start a name.
    var isWordStart: Bool {
        switch self {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...0xFF: true
        default: false
        }
    }

    /// Whether the byte may occur in a name.
    var isWordByte: Bool { isWordStart || isDigit }
}
