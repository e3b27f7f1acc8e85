/// A line that is typed on a terminal without echo, byte by byte.
///
/// Escape sequences of keys without a character, such as an arrow, are skipped.
struct HiddenLine {
    /// The result of a byte.
    enum Step {
        case more
        case end
        case interrupted
    }

    /// The state of an escape sequence.
    private enum Sequence {
        case none
        case begun
        case parameters
    }

    /// Without the line end; empty if there were too many bytes.
    private(set) var bytes: [UInt8] = []
    /// Whether the limit was exceeded.
    private(set) var isTooLong = false

    private let longest: Int
    private var sequence = Sequence.none

    private static let (interrupt, endOfInput, backspace, delete, eraseLine, escape) = (
        UInt8(0x03), UInt8(0x04), UInt8(0x08), UInt8(0x7F), UInt8(0x15), UInt8(0x1B)
    )

    /// - Parameter longest: The maximum number of bytes.
    init(longest: Int) {
        self.longest = longest
        // Up front: an array that grows leaves its old buffer behind.
        bytes.reserveCapacity(longest)
    }

    /// Processes the next byte.
    mutating func process(_ byte: UInt8) -> Step {
        guard !isInSequence(byte) else { return .more }
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .end
        case Self.interrupt: return .interrupted
        // In the middle of a line, the part would be used as the whole line.
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

    /// Overwrites and removes the bytes.
    mutating func wipe() {
        for index in bytes.indices { bytes[index] = 0 }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Whether a byte belongs to an escape sequence.
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
            // The rest of the line is read and discarded.
            wipe()
            isTooLong = true
            return
        }
        bytes.append(byte)
    }

    private mutating func eraseCharacter() {
        // Continuation bytes of UTF-8 are removed with the first byte.
        while let byte = bytes.last {
            // Removed bytes remain in the array's buffer.
            bytes[bytes.count - 1] = 0
            bytes.removeLast()
            if byte & 0xC0 != 0x80 { return }
        }
    }
}
