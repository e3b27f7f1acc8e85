/// Makes the table of a folding and a plane from the properties of Unicode.
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

    /// The folded forms, composed. A combining iota stays a scalar of its own, to be found when a term is composed.
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

    /// The kind of all scalars of a page of 256 that need no look at their properties: common ideographs, Hangul
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
