extension TermScanner {
    /// Handles an emoji that begins at a scalar, or a keycap that goes on with it.
    ///
    /// - Returns: The position after the emoji, or nil if the scalar belongs to none.
    mutating func scanEmoji(
        _ bytes: UnsafeBufferPointer<UInt8>, _ scalar: UInt32, _ emoji: FoldingEntry.Emoji, at position: Int, end: Int
    ) -> Int? {
        switch emoji {
        case .none:
            return nil
        case .always, .modifier:
            break
        case .possible:
            guard end < bytes.count, isEmojiSign(bytes, at: end) else { return nil }
        case .regionalIndicator:
            return scanFlag(bytes, scalar, at: position, end: end)
        case .keycapPart:
            return scanKeycap(bytes, scalar, at: position, end: end)
        }
        openEmoji(at: position)
        appendToEmoji(scalar)
        let end = scanEmojiRest(bytes, from: end)
        finishEmoji(at: end)
        return end
    }

    /// Whether a scalar that may be an emoji is one because of what follows: a variation selector, a skin tone, or a
    /// joiner and another emoji.
    private mutating func isEmojiSign(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        let (next, end) = UTF8Scalar.read(bytes, at: position)
        return next == 0xFE0F || emoji(next) == .modifier || next == 0x200D && joinedEmoji(bytes, at: end) != nil
    }

    private mutating func scanEmojiRest(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count, bytes[position] >= 0x80 {
            let (next, end) = UTF8Scalar.read(bytes, at: position)
            if next == 0x200D {
                guard let joined = joinedEmoji(bytes, at: end) else { return end }
                appendToEmoji(next)
                appendToEmoji(joined.scalar)
                position = joined.end
            } else if (0xE0020...0xE007F).contains(next) || next == 0x20E3 {
                appendToEmoji(next)
                position = end
            } else if (0xFE00...0xFE0F).contains(next) || emoji(next) == .modifier {
                position = end
            } else {
                break
            }
        }
        return position
    }

    private mutating func joinedEmoji(
        _ bytes: UnsafeBufferPointer<UInt8>, at position: Int
    ) -> (scalar: UInt32, end: Int)? {
        guard position < bytes.count else { return nil }
        let (scalar, end) = UTF8Scalar.read(bytes, at: position)
        let kind = emoji(scalar)
        return kind == .always || kind == .possible ? (scalar, end) : nil
    }

    private mutating func scanFlag(
        _ bytes: UnsafeBufferPointer<UInt8>, _ scalar: UInt32, at position: Int, end: Int
    ) -> Int {
        openEmoji(at: position)
        appendToEmoji(scalar)
        var flagEnd = end
        if end < bytes.count {
            let (next, nextEnd) = UTF8Scalar.read(bytes, at: end)
            if emoji(next) == .regionalIndicator {
                appendToEmoji(next)
                flagEnd = nextEnd
            }
        }
        finishEmoji(at: flagEnd)
        return flagEnd
    }

    /// Takes the digit before U+FE0F U+20E3, or U+20E3, out of the open word.
    private mutating func scanKeycap(
        _ bytes: UnsafeBufferPointer<UInt8>, _ scalar: UInt32, at position: Int, end: Int
    ) -> Int? {
        guard position > 0, let key = Self.key(bytes[position - 1]) else { return nil }
        var keycapEnd = end
        if scalar != 0x20E3 {
            guard end < bytes.count else { return nil }
            let (next, nextEnd) = UTF8Scalar.read(bytes, at: end)
            guard next == 0x20E3 else { return nil }
            keycapEnd = nextEnd
        }
        if open != .none, source.upperBound == position {
            if scalarCount < Self.longestWord { terms.removeLast() }
            scalarCount -= 1
            source = source.lowerBound..<max(source.lowerBound, position - 1)
        }
        openEmoji(at: position - 1)
        appendToEmoji(key)
        appendToEmoji(0x20E3)
        finishEmoji(at: keycapEnd)
        return keycapEnd
    }

    private static func key(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39, 0x23, 0x2A: UInt32(byte)
        default: nil
        }
    }

    private mutating func emoji(_ scalar: UInt32) -> FoldingEntry.Emoji {
        scalar < 0x80 ? .none : loadedTables().entry(scalar).emoji
    }

    private mutating func openEmoji(at start: Int) {
        finish()
        openToken(.cluster, at: start)
    }

    private mutating func appendToEmoji(_ scalar: UInt32) {
        guard scalarCount < Self.longestWord else { return }
        UTF8Scalar.append(TermEncoding.encoded(scalar), to: &terms)
        scalarCount += 1
    }

    private mutating func finishEmoji(at end: Int) {
        source = source.lowerBound..<end
        finish()
    }
}
