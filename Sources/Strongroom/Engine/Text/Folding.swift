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

/// What a tokenizer does with a scalar, in 64 bits.
struct FoldingEntry: Hashable, Sendable {
    /// The part that a scalar has in a text.
    enum Kind: UInt64 {
        /// Ends a word.
        case separator = 0

        /// A letter or digit of a word.
        case word = 1

        /// A letter or digit that is a separate token.
        case cluster = 2

        /// A mark that belongs to the letter before it.
        case mark = 3

        /// Is left out and separates nothing.
        case ignored = 4

        /// Separate words, such as "½".
        case isolated = 5
    }

    /// How a scalar may take part in an emoji.
    enum Emoji: UInt64 {
        case none = 0

        /// An emoji by itself.
        case always = 1

        /// An emoji before a variation selector or a skin tone.
        case possible = 2

        /// A skin tone, which is an emoji only if it is alone.
        case modifier = 3

        /// Half of a flag.
        case regionalIndicator = 4

        /// U+FE0F or U+20E3, which make a keycap of a digit.
        case keycapPart = 5
    }

    private let bits: UInt64

    /// The entry of a scalar whose folded form is `value`: a scalar or, with `isList`, the index of a list of them; nil
    /// is the scalar itself.
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

    /// Whether the folded form may be composed with what precedes it.
    var needsComposition: Bool { bits & 1 << 42 != 0 }

    /// The canonical combining classes of the first and of the last scalar of the folded form.
    var firstClass: UInt8 { UInt8(truncatingIfNeeded: bits >> 48) }
    var lastClass: UInt8 { UInt8(truncatingIfNeeded: bits >> 56) }
}

/// What a tokenizer does with each scalar: tables of the planes 0 and 1 in pages of 256 scalars, built when a text
/// first has a scalar of the plane that is not ASCII. Equal pages are stored once.
final class FoldingTable: Sendable {
    private let pageStarts: [Int]
    private let entries: [FoldingEntry]

    /// Lists of folded scalars, each after its length.
    private let lists: [UInt32]

    init(pages: [[FoldingEntry]], lists: [UInt32]) {
        var entries: [FoldingEntry] = []
        var known: [[FoldingEntry]: Int] = [:]
        pageStarts = pages.map { page in
            if let start = known[page] { return start }
            known[page] = entries.count
            defer { entries += page }
            return entries.count
        }
        (self.entries, self.lists) = (entries, lists)
    }

    /// The entry of a scalar, by its number in its plane.
    func entry(_ number: Int) -> FoldingEntry {
        entries[pageStarts[number >> 8] + number & 0xFF]
    }

    /// The folded scalars of an entry that has several.
    func list(_ entry: FoldingEntry) -> ArraySlice<UInt32> {
        let start = entry.listIndex + 1
        return lists[start..<start + Int(lists[entry.listIndex])]
    }
}

/// The tables of one folding.
struct FoldingTables: Sendable {
    private let folding: Folding
    private let basic: FoldingTable

    /// The tables of the folding. The one of plane 0 is built at the first call, the one of plane 1 when it is needed.
    init(_ folding: Folding) {
        self.folding = folding
        basic = folding == .standard ? Self.standardBasic : Self.marksBasic
    }

    /// The entry of a scalar that is not ASCII.
    func entry(_ scalar: UInt32) -> FoldingEntry {
        scalar < 0x1_0000 ? basic.entry(Int(scalar)) : supplementaryEntry(scalar)
    }

    /// The folded scalars of an entry that has several.
    func list(_ entry: FoldingEntry, of scalar: UInt32) -> ArraySlice<UInt32> {
        (scalar < 0x1_0000 ? basic : supplementary).list(entry)
    }

    private var supplementary: FoldingTable {
        folding == .standard ? Self.standardSupplementary : Self.marksSupplementary
    }

    private func supplementaryEntry(_ scalar: UInt32) -> FoldingEntry {
        if scalar < 0x2_0000 { return supplementary.entry(Int(scalar) - 0x1_0000) }
        return FoldingEntry(
            FoldingTableBuilder.kindOutsideOfTables(scalar), value: FoldingTableBuilder.compatibilityIdeograph(scalar))
    }

    private static let standardBasic = FoldingTableBuilder(.standard, plane: 0).table()
    private static let marksBasic = FoldingTableBuilder(.marks, plane: 0).table()
    private static let standardSupplementary = FoldingTableBuilder(.standard, plane: 1).table()
    private static let marksSupplementary = FoldingTableBuilder(.marks, plane: 1).table()
}

/// Builds the table of a folding and a plane from the properties of Unicode.
struct FoldingTableBuilder {
    private let folding: Folding
    private let plane: UInt32

    init(_ folding: Folding, plane: UInt32) {
        self.folding = folding
        self.plane = plane
    }

    /// The table. Normalisation is called a few times for all scalars, since a call for each takes far longer.
    func table() -> FoldingTable {
        let bytes: Range<UInt32> = 0..<0x100
        let scalars = bytes.filter { Self.uniformKind(plane << 8 + $0) == nil }
            .flatMap { page in bytes.compactMap { Unicode.Scalar(plane << 16 + page << 8 + $0) } }
            .filter(Self.isAssigned)
        let decompositions = Normalization.compatibilityDecompositions(scalars)
        let changed = zip(scalars, decompositions).filter { $1 != [$0] }.map(\.0)
        let later = Set(Normalization.canonicalDecompositions(changed).flatMap { $0.dropFirst() })
        let folded = decompositions.map(folding.folded)
        let composed = composed(folded)

        var lists: [UInt32] = []
        var entries: [UInt32: FoldingEntry] = [:]
        for (index, scalar) in scalars.enumerated() {
            entries[scalar.value] = entry(
                scalar, composed[index], decomposed: folded[index],
                isComposable: { later.contains($0) || Self.isHangulVowelOrFinal($0.value) }, lists: &lists)
        }
        let pages = bytes.map { page in
            let uniform = FoldingEntry(Self.uniformKind(plane << 8 + page) ?? .separator)
            return bytes.map { entries[plane << 16 + page << 8 + $0] ?? uniform }
        }
        return FoldingTable(pages: pages, lists: lists)
    }

    /// The folded forms, composed. A combining iota stays a separate scalar, to be found when a term is composed.
    private func composed(_ folded: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
        let indexes = folded.indices.filter { folded[$0].count > 1 && !folded[$0].contains(Folding.combiningIota) }
        var result = folded
        for (index, form) in zip(indexes, Normalization.compositions(indexes.map { folded[$0] })) {
            result[index] = form
        }
        return result
    }

    private func entry(
        _ scalar: Unicode.Scalar, _ form: [Unicode.Scalar], decomposed: [Unicode.Scalar],
        isComposable: (Unicode.Scalar) -> Bool, lists: inout [UInt32]
    ) -> FoldingEntry {
        let kind = Self.kind(scalar, form)
        var value: UInt32? = form.first?.value
        if form.count > 1 {
            value = UInt32(lists.count)
            lists += [UInt32(form.count)] + form.map(\.value)
        }
        return FoldingEntry(
            kind, value: form == [scalar] ? nil : value, isList: form.count > 1,
            needsComposition: form.contains { isComposable($0) || $0 == Folding.combiningIota },
            emoji: Self.emoji(scalar),
            firstClass: decomposed.first?.properties.canonicalCombiningClass.rawValue ?? 0,
            lastClass: decomposed.last?.properties.canonicalCombiningClass.rawValue ?? 0)
    }

    private static func kind(_ scalar: Unicode.Scalar, _ form: [Unicode.Scalar]) -> FoldingEntry.Kind {
        if Folding.isIgnored(scalar) { return .ignored }
        guard isPartOfWord(scalar) else {
            return form.contains { isPartOfWord($0) && !isMark($0) } ? .isolated : .separator
        }
        guard let first = form.first else { return .ignored }
        if !form.allSatisfy(isPartOfWord) { return .isolated }
        if isMark(first) { return .mark }
        return ClusterScripts.contains(first.value) ? .cluster : .word
    }

    private static func emoji(_ scalar: Unicode.Scalar) -> FoldingEntry.Emoji {
        let properties = scalar.properties
        if scalar == "\u{FE0F}" || scalar == "\u{20E3}" { return .keycapPart }
        if properties.isEmojiModifier { return .modifier }
        if (0x1F1E6...0x1F1FF).contains(scalar.value) { return .regionalIndicator }
        if properties.isEmojiPresentation { return .always }
        return properties.isEmoji && !scalar.isASCII ? .possible : .none
    }
}

extension FoldingTableBuilder {
    /// The kind of the scalars above plane 1: ideographs, invisible tags, and what separates.
    static func kindOutsideOfTables(_ scalar: UInt32) -> FoldingEntry.Kind {
        guard let scalar = Unicode.Scalar(scalar) else { return .separator }
        if Folding.isIgnored(scalar) { return .ignored }
        return isPartOfWord(scalar) ? .cluster : .separator
    }

    /// The ideograph that a compatibility ideograph of plane 2 stands for; nil for other scalars.
    static func compatibilityIdeograph(_ scalar: UInt32) -> UInt32? {
        guard (0x2F800...0x2FA1F).contains(scalar), let scalar = Unicode.Scalar(scalar) else { return nil }
        return Normalization.canonicalDecompositions([scalar]).first?.first?.value
    }

    /// Letters, marks and numbers.
    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber:
            true
        default: isMark(scalar)
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Whether a scalar needs an entry that is not the one of its page.
    private static func isAssigned(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .unassigned: Folding.isIgnored(scalar)
        case .control, .privateUse, .surrogate: false
        default: true
        }
    }

    /// The kind of all scalars of a page of 256 whose properties need not be read: common ideographs, Hangul
    /// syllables, Tangut and hieroglyphs, private use.
    private static func uniformKind(_ page: UInt32) -> FoldingEntry.Kind? {
        switch page {
        case 0x34...0x4C, 0x4E...0x9E, 0xAC...0xD6: .cluster
        case 0xD8...0xDF, 0xE0...0xF8: .separator
        case 0x170...0x186: .word
        default: nil
        }
    }

    private static func isHangulVowelOrFinal(_ scalar: UInt32) -> Bool {
        (0x1161...0x1175).contains(scalar) || (0x11A8...0x11C2).contains(scalar)
    }
}
