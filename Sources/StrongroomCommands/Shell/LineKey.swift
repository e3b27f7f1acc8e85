/// A key that was pressed.
enum LineKey: Equatable, Sendable {
    case text(String)
    case enter, tab, backspace, delete
    case left, right, wordLeft, wordRight, home, end
    case up, down
    case eraseToStart, eraseToEnd, eraseWord
    case clearScreen
    /// Control-C.
    case interrupt
    /// Control-D.
    case endOfInput
    case other
}

/// Decodes the bytes that a terminal sends into keys.
struct LineKeyDecoder {
    /// The next byte; nil at the end.
    let read: () -> UInt8?
    /// Whether a byte follows immediately: it then belongs to the escape sequence of a key.
    let isMoreThere: () -> Bool

    func next() -> LineKey? {
        guard let byte = read() else { return nil }
        switch byte {
        case 0x1B: return isMoreThere() ? escaped() : .other
        case 0x00..<0x20, 0x7F: return Self.controls[byte] ?? .other
        case 0x20..<0x80: return .text(String(UnicodeScalar(byte)))
        default: return character(byte)
        }
    }

    private static let controls: [UInt8: LineKey] = [
        0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
        0x09: .tab, 0x0A: .enter, 0x0B: .eraseToEnd, 0x0C: .clearScreen, 0x0D: .enter, 0x0E: .down, 0x10: .up,
        0x15: .eraseToStart, 0x17: .eraseWord, 0x7F: .backspace,
    ]

    /// A character of more than one byte.
    private func character(_ first: UInt8) -> LineKey? {
        let count =
            switch first {
            case 0xC2...0xDF: 1
            case 0xE0...0xEF: 2
            case 0xF0...0xF4: 3
            default: 0
            }
        var bytes = [first]
        for _ in 0..<count {
            guard let byte = read() else { return nil }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .other
    }

    /// A key that is sent as a sequence (ECMA-48, section 5.4).
    private func escaped() -> LineKey? {
        guard let kind = read() else { return nil }
        switch kind {
        case UInt8(ascii: "b"): return .wordLeft
        case UInt8(ascii: "f"): return .wordRight
        case UInt8(ascii: "["), UInt8(ascii: "O"): break
        default: return .other
        }
        var parameters: [UInt8] = []
        while let byte = read() {
            if (0x20..<0x40).contains(byte) {
                parameters.append(byte)
                continue
            }
            return Self.key(parameters, byte)
        }
        return nil
    }

    private static func key(_ parameters: [UInt8], _ end: UInt8) -> LineKey {
        let isWithControl = parameters.last == UInt8(ascii: "5") || parameters.last == UInt8(ascii: "3")
        switch Character(UnicodeScalar(end)) {
        case "A": return .up
        case "B": return .down
        case "C": return parameters.count > 1 && isWithControl ? .wordRight : .right
        case "D": return parameters.count > 1 && isWithControl ? .wordLeft : .left
        case "H": return .home
        case "F": return .end
        case "~":
            switch parameters {
            case [0x31], [0x37]: return .home
            case [0x33]: return .delete
            case [0x34], [0x38]: return .end
            default: return .other
            }
        default: return .other
        }
    }
}
