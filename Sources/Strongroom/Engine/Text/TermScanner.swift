/// Walks over the UTF-8 bytes of a text once and writes the encoded terms, with one space between them.
///
/// ASCII is folded by arithmetic, other scalars by a table; no `String` is created for a term, unless its marks must be
/// put into canonical order or composed.
struct TermScanner {
    /// The position of a term in `terms`, and that of its source in the text; in bytes.
    struct Span {
        let term: Range<Int>
        let source: Range<Int>
    }

    var terms: [UInt8] = []

    /// The terms' positions, if `keepsSpans`.
    var spans: [Span] = []

    let folding: Folding
    let stems: Bool
    let keepsSpans: Bool
    private var tables: FoldingTables?

    // The open token.
    enum OpenToken { case none, word, cluster }
    var open = OpenToken.none
    var termStart = 0
    var source = 0..<0
    var scalarCount = 0
    var lastScalar: UInt32 = 0
    var lastClass: UInt8 = 0
    var needsComposition = false

    /// Scalars of a word after the first 1,024 are left out before composition.
    static let longestWord = 1024

    init(folding: Folding, stems: Bool, keepsSpans: Bool) {
        self.folding = folding
        self.stems = stems
        self.keepsSpans = keepsSpans
    }

    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
        terms.reserveCapacity(bytes.count + bytes.count / 8)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte >= 0x80 {
                position = scanScalar(bytes, at: position)
            } else if Self.foldedASCII(byte) != 0 {
                position = scanASCII(bytes, from: position)
            } else {
                finish()
                position += 1
            }
        }
        finish()
    }

    /// The lowercase letter or the digit of an ASCII character; zero for all others.
    @inline(__always)
    static func foldedASCII(_ byte: UInt8) -> UInt8 {
        let letter = byte | 0x20
        if letter &- 0x61 < 26 { return letter }
        return byte &- 0x30 < 10 ? byte : 0
    }

    private mutating func scanASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        openToken(.word, at: start)
        var position = start
        while position < bytes.count {
            let folded = Self.foldedASCII(bytes[position])
            if folded == 0 { break }
            if scalarCount < Self.longestWord {
                terms.append(folded)
                scalarCount += 1
            }
            position += 1
        }
        lastScalar = 0
        lastClass = 0
        source = source.lowerBound..<position
        return position
    }

    /// Handles the scalar at a position that is not ASCII, and returns the position after what was handled.
    private mutating func scanScalar(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
        let (scalar, end) = UTF8Scalar.read(bytes, at: position)
        let tables = loadedTables()
        let entry = tables.entry(scalar)
        if entry.emoji != .none, let end = scanEmoji(bytes, scalar, entry.emoji, at: position, end: end) { return end }
        let kind = entry.kind
        if kind == .isolated || entry.isList, kind != .separator, kind != .ignored {
            let parts = entry.isList ? tables.list(entry, of: scalar) : [entry.folded(scalar)]
            appendParts(parts, of: entry, from: position, to: end)
        } else {
            append(entry.folded(scalar), kind, entry, from: position, to: end)
        }
        return end
    }

    /// Adds the scalars of a folded form one by one; those of an isolated one are separate words.
    private mutating func appendParts(
        _ parts: ArraySlice<UInt32>, of entry: FoldingEntry, from start: Int, to end: Int
    ) {
        let tables = loadedTables()
        if entry.kind == .isolated { finish() }
        for part in parts {
            let partEntry = part < 0x80 ? Self.entryOfASCII(UInt8(part)) : tables.entry(part)
            append(part, partEntry.kind, partEntry, from: start, to: end)
            if entry.needsComposition { needsComposition = true }
        }
        lastClass = entry.lastClass
        if entry.kind == .isolated { finish() }
    }

    mutating func loadedTables() -> FoldingTables {
        if let tables { return tables }
        let loaded = FoldingTables(folding)
        tables = loaded
        return loaded
    }

    private static func entryOfASCII(_ byte: UInt8) -> FoldingEntry {
        FoldingEntry(foldedASCII(byte) == 0 ? .separator : .word)
    }
}

extension TermScanner {
    /// Adds a folded scalar to the open token, or to a new one.
    mutating func append(
        _ scalar: UInt32, _ kind: FoldingEntry.Kind, _ entry: FoldingEntry, from start: Int, to end: Int
    ) {
        switch kind {
        case .separator, .isolated:
            finish()
            return
        case .ignored:
            if open != .none { source = source.lowerBound..<end }
            return
        case .word:
            openToken(.word, at: start)
        case .cluster:
            if open != .cluster || !ClusterScripts.continues(lastScalar, scalar) {
                finish()
                openToken(.cluster, at: start)
            }
        case .mark:
            // A mark of a symbol or of nothing is left out.
            if open == .none { return }
        }
        // Canonical order is ascending between scalars of the class 0.
        if entry.needsComposition || entry.firstClass != 0 && entry.firstClass < lastClass { needsComposition = true }
        if scalarCount < Self.longestWord {
            UTF8Scalar.append(scalar, to: &terms)
            scalarCount += 1
        }
        lastScalar = scalar
        lastClass = entry.lastClass
        source = source.lowerBound..<end
    }

    /// Begins a token, unless one of its kind is open; a cluster is closed before it by the caller.
    mutating func openToken(_ kind: OpenToken, at start: Int) {
        if open == kind { return }
        finish()
        if !terms.isEmpty { terms.append(0x20) }
        open = kind
        termStart = terms.count
        source = start..<start
        scalarCount = 0
        lastScalar = 0
        lastClass = 0
        needsComposition = false
    }

    mutating func finish() {
        if open == .none { return }
        if needsComposition { compose() }
        if stems, open == .word { EnglishStemmer.reduce(&terms, from: termStart) }
        if scalarCount > TermEncoding.longestTerm { cut() }
        open = .none
        if terms.count == termStart {
            if termStart > 0 { terms.removeLast() }
        } else if keepsSpans {
            spans.append(Span(term: termStart..<terms.count, source: source))
        }
    }

    private mutating func compose() {
        let term = Normalization.composed(String(decoding: terms[termStart...], as: UTF8.self))
        terms.removeSubrange(termStart...)
        terms.append(contentsOf: term.utf8)
        scalarCount = term.unicodeScalars.count
    }

    /// Removes what follows the first 128 scalars.
    private mutating func cut() {
        var count = 0
        for position in termStart..<terms.count where terms[position] & 0xC0 != 0x80 {
            if count == TermEncoding.longestTerm {
                terms.removeSubrange(position...)
                return
            }
            count += 1
        }
    }
}

extension TermScanner {
    /// Handles an emoji that begins at a scalar, or a keycap that it continues.
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

    /// Removes the digit before U+FE0F U+20E3, or U+20E3, from the open word.
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

/// The terms of texts that are all ASCII, which most rules leave as they are.
enum ASCIITerms {
    /// The folded letter or digit of each ASCII character; zero for the others, and `foreign` for bytes of other
    /// characters.
    private static let folded: [UInt8] = (0...255).map { $0 < 0x80 ? TermScanner.foldedASCII($0) : foreign }

    private static let foreign: UInt8 = 0xFF

    /// Writes the terms in one pass, with one space between them.
    ///
    /// - Parameter terms: Room for one byte more than the text has.
    /// - Returns: The number of bytes; nil for a text with another character.
    static func write(_ bytes: UnsafeBufferPointer<UInt8>, into terms: UnsafeMutablePointer<UInt8>) -> Int? {
        folded.withUnsafeBufferPointer { folded in
            // Each byte is written and counts if it belongs to a term, or is the first one after a term.
            var (end, length) = (0, 0)
            for byte in bytes {
                let letter = folded[Int(byte)]
                if letter == foreign { return nil }
                let isLetter = letter != 0
                terms[end] = isLetter ? letter : 0x20
                length = isLetter ? length + 1 : -length
                let isSpace = length < 0
                let isRoom = length > 0 && length <= TermEncoding.longestTerm
                end += isRoom || isSpace ? 1 : 0
                if !isLetter { length = 0 }
            }
            return length == 0 && end > 0 ? end - 1 : end
        }
    }

    /// - Returns: The terms; nil for a text with another character.
    static func terms(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var isASCII = true
        let terms = String(unsafeUninitializedCapacity: bytes.count + 1) { terms in
            guard let start = terms.baseAddress, let count = write(bytes, into: start) else {
                isASCII = false
                return 0
            }
            return count
        }
        return isASCII ? terms : nil
    }
}
