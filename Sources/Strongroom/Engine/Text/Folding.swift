/// Which differences in spelling a tokenizer ignores, for one scalar at a time.
enum Folding: Sendable {
    /// Case, compatibility forms and diacritics.
    case standard

    /// Case and compatibility forms.
    case marks

    /// The folded scalars of a compatibility decomposition (NFKD); to be composed (NFC) by the caller.
    func folded(_ decomposition: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in decomposition where !Self.isIgnored(scalar) {
            switch self {
            case .standard:
                if Self.isDiacritic(scalar) { continue }
                result += Self.letters(scalar).flatMap(Self.foldedCase)
            case .marks:
                // The combining iota takes part in canonical ordering as a mark, and is a letter after it.
                result += scalar == Self.combiningIota ? [scalar] : Self.foldedCase(scalar)
            }
        }
        return result
    }

    static let combiningIota: Unicode.Scalar = "\u{345}"

    /// Characters that are not seen: soft hyphens, joiners, variation selectors, direction marks. A zero-width space
    /// is one too, but separates words.
    static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return (properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint)
            && scalar != "\u{200B}"
    }

    /// Full case folding of a scalar. U+1E9E needs a second round: ẞ, ß, ss.
    private static func foldedCase(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        var result = [scalar]
        for _ in 0..<3 {
            let next = result.flatMap(\.properties.uppercaseMapping.unicodeScalars)
                .flatMap(\.properties.lowercaseMapping.unicodeScalars)
            if next == result { break }
            result = next
        }
        return result
    }

    /// The marks that are diacritics; vowels of Indic and Thai script and the Japanese voicing marks are none.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        case 0x0591...0x05C7, 0x0610...0x061A, 0x064B...0x065F, 0x0670, 0x06D6...0x06ED:
            scalar.properties.generalCategory == .nonspacingMark
        case 0x0640: true  // tatweel
        default: false
        }
    }

    /// The basic letters of letters that have no decomposition.
    private static func letters(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar {
        case "æ", "Æ": ["a", "e"]
        case "œ", "Œ": ["o", "e"]
        case "ø", "Ø": ["o"]
        case "ł", "Ł": ["l"]
        case "đ", "Đ", "ð", "Ð": ["d"]
        case "þ", "Þ": ["t", "h"]
        case "ħ", "Ħ": ["h"]
        case "ı": ["i"]
        case "ŋ", "Ŋ": ["n"]
        case "ŧ", "Ŧ": ["t"]
        default: [scalar]
        }
    }
}
