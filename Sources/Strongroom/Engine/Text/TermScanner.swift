/// Walks over the UTF-8 bytes of a text once and writes the encoded terms, with one space between them.
///
/// ASCII is folded by arithmetic, other scalars by a table; no `String` is made for a term, unless its marks must be
/// put into canonical order or composed.
struct TermScanner {
    /// Where a term stands in `terms`, and what it stands for in the text; in bytes.
    struct Span {
        let term: Range<Int>
        let source: Range<Int>
    }

    /// The encoded terms.
    var terms: [UInt8] = []

    /// The terms' positions, if they are asked for.
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

    /// Adds the scalars of a folded form one by one; those of an isolated one are words of their own.
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
