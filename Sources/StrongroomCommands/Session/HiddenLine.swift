/// A line that is typed on a terminal without being shown, byte by byte.
///
/// What a terminal sends for a key that is no character, such as an arrow, is no part of it.
struct HiddenLine {
    /// What comes after a byte.
    enum Step {
        case more
        case end
        case interrupted
    }

    /// The bytes of a sequence that begins with Escape.
    private enum Sequence {
        case none
        case begun
        case parameters
    }

    /// Without the end of the line; none when there were too many.
    private(set) var bytes: [UInt8] = []
    /// Whether there were more bytes than there may be.
    private(set) var isTooLong = false

    private let longest: Int
    private var sequence = Sequence.none

    private static let (interrupt, endOfInput, backspace, delete, eraseLine, escape) = (
        UInt8(0x03), UInt8(0x04), UInt8(0x08), UInt8(0x7F), UInt8(0x15), UInt8(0x1B)
    )

    /// - Parameter longest: How many bytes there may be.
    init(longest: Int) {
        self.longest = longest
        // At once, so that no part is left behind where the array was before it grew.
        bytes.reserveCapacity(longest)
    }

    /// Takes the next byte.
    mutating func take(_ byte: UInt8) -> Step {
        guard !isInSequence(byte) else { return .more }
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .end
        case Self.interrupt: return .interrupted
        // In the middle of a line it would take a part for the whole.
        case Self.endOfInput: return bytes.isEmpty && !isTooLong ? .end : .more
        case Self.eraseLine:
            wipe()
            isTooLong = false
        case Self.backspace, Self.delete: eraseCharacter()
        case Self.escape: sequence = .begun
        case 0..<0x20: break
        default: append(byte)
        }
        return .more
    }

    /// Forgets what has been typed.
    mutating func wipe() {
        for place in bytes.indices { bytes[place] = 0 }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Whether a byte belongs to what Escape has begun.
    private mutating func isInSequence(_ byte: UInt8) -> Bool {
        switch sequence {
        case .none: return false
        case .begun:
            sequence = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .parameters : .none
            return sequence == .parameters
        case .parameters:
            guard byte >= 0x20 else {
                sequence = .none
                return false
            }
            // See ECMA-48, 5.4: the final byte.
            if byte >= 0x40 { sequence = .none }
            return true
        }
    }

    private mutating func append(_ byte: UInt8) {
        guard !isTooLong else { return }
        guard bytes.count < longest else {
            // The rest is read to the end of the line, and goes nowhere.
            wipe()
            isTooLong = true
            return
        }
        bytes.append(byte)
    }

    private mutating func eraseCharacter() {
        // The bytes that go on a character of UTF-8 go with its first.
        while let byte = bytes.last {
            // What is removed stays in the array's memory.
            bytes[bytes.count - 1] = 0
            bytes.removeLast()
            if byte & 0xC0 != 0x80 { return }
        }
    }
}
