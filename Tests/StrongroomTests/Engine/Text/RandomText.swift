import StrongroomTesting

/// Random texts of what tokenizers and parsers could stumble over.
enum RandomText {
    private static let pieces: [String] = [
        " ", "  ", "\n", "\0", "\"", "\"\"", "'", "*", "(", ")", ":", "^", "-", "+", "/", "{x}:", "AND", "OR", "NOT",
        "NEAR", "NEAR/2", "a", "b", "ab", "the", "running", "1", "23", "#", "\u{301}", "\u{323}", "\u{345}", "\u{3099}",
        "\u{FE0F}", "\u{20E3}", "\u{200D}", "\u{AD}", "\u{200B}", "\u{1F3FD}", "👩‍👩‍👧", "🇩🇪", "🇩", "❤️", "❤", "™", "½",
        "㍿", "ﷺ", "ﬁ", "ß", "ẞ", "İ", "ı", "é", "e\u{301}", "ᾳ", "α\u{345}\u{301}", "東京", "カ\u{3099}", "ｶﾞ", "한", "ᄒ",
        "ᅡ", "ᆫ", "กำ", "น\u{E49}\u{E33}", "क\u{93C}", "ក្ខ", "١", "\u{E041}", "\u{10FFFF}", "\u{E0067}", "\u{2F800}",
    ]

    static func text(_ pieceCount: Int, using random: inout SeededGenerator) -> String {
        var result = ""
        for _ in 0..<pieceCount {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<6: result += pieces[Int.random(in: 0..<pieces.count, using: &random)]
            case 6: append(.random(in: 0...0x10FFFF, using: &random), to: &result)
            default: append(.random(in: 0...0x32FF, using: &random), to: &result)
            }
        }
        return result
    }

    static func words(_ count: Int, using random: inout SeededGenerator) -> String {
        (0..<count).map { _ in ["a", "b", "c"][Int.random(in: 0..<3, using: &random)] }.joined(separator: " ")
    }

    private static func append(_ number: UInt32, to text: inout String) {
        if let scalar = Unicode.Scalar(number) { text.unicodeScalars.append(scalar) }
    }
}
