/// What a tokenizer does with a scalar, in 64 bits.
struct FoldingEntry: Hashable, Sendable {
    /// The part that a scalar has in a text.
    enum Kind: UInt64 {
        /// Ends a word.
        case separator = 0

        /// A letter or digit of a word.
        case word = 1

        /// A letter or digit that is a token of its own.
        case cluster = 2

        /// A mark that belongs to the letter before it.
        case mark = 3

        /// Is left out and separates nothing.
        case ignored = 4

        /// Words of its own, such as "½".
        case isolated = 5
    }

    /// How a scalar may take part in an emoji.
    enum Emoji: UInt64 {
        case none = 0

        /// An emoji by itself.
        case always = 1

        /// An emoji before a variation selector or a skin tone.
        case possible = 2

        /// A skin tone, which is an emoji only if it stands alone.
        case modifier = 3

        /// Half of a flag.
        case regionalIndicator = 4

        /// U+FE0F or U+20E3, which make a keycap of a digit.
        case keycapPart = 5
    }

    private let bits: UInt64

    /// Makes an entry of a scalar whose folded form is `value`: a scalar or, with `isList`, an index of a list of
    /// them; nil is the scalar itself.
    init(
        _ kind: Kind, value: UInt32? = nil, isList: Bool = false, needsComposition: Bool = false, emoji: Emoji = .none,
        firstClass: UInt8 = 0, lastClass: UInt8 = 0
    ) {
        var bits = UInt64(value ?? 0) | kind.rawValue << 32 | emoji.rawValue << 36
        if value == nil { bits |= 1 << 40 }
        if isList { bits |= 1 << 41 }
        if needsComposition { bits |= 1 << 42 }
        self.bits = bits | UInt64(firstClass) << 48 | UInt64(lastClass) << 56
    }

    var kind: Kind { Kind(rawValue: bits >> 32 & 0xF) ?? .separator }
    var emoji: Emoji { Emoji(rawValue: bits >> 36 & 0xF) ?? .none }

    /// Whether the folded form consists of several scalars; `listIndex` is their position.
    var isList: Bool { bits & 1 << 41 != 0 }
    var listIndex: Int { Int(bits & 0xFFFF_FFFF) }

    /// The folded form of a scalar whose form is one scalar.
    func folded(_ scalar: UInt32) -> UInt32 {
        bits & 1 << 40 != 0 ? scalar : UInt32(truncatingIfNeeded: bits)
    }

    /// Whether the folded form may be composed with what stands before it.
    var needsComposition: Bool { bits & 1 << 42 != 0 }

    /// The canonical combining classes of the first and of the last scalar of the folded form.
    var firstClass: UInt8 { UInt8(truncatingIfNeeded: bits >> 48) }
    var lastClass: UInt8 { UInt8(truncatingIfNeeded: bits >> 56) }
}
