@testable import Strongroom
import StrongroomTesting
import Testing

@Suite struct SearchHighlightTests {
    private static let fox = "The quick brown fox, the QUICK brown dog."

    static let examples: [(SearchQuery, String, [String])] = [
        ("quick", fox, ["quick", "QUICK"]),
        (.phrase("brown fox"), fox, ["brown fox"]),
        (.any("brown \"fox the\""), fox, ["The", "brown", "fox", "the", "brown"]),
        (.phrase("quick brown") && .phrase("brown fox"), fox, ["quick brown fox", "QUICK brown"]),
        (.typing("missing qui"), fox, ["quick", "QUICK"]),
        (.typing("brown f"), fox, ["brown", "fox", "brown"]),
        (SearchQuery("fox").excluding("dog"), fox, ["fox"]),
        ("ete", "L'e\u{301}te\u{301}, ETE\u{301}!", ["e\u{301}te\u{301}", "ETE\u{301}"]),
        ("東京", "私は東京都の東にいる", ["東京"]),
        ("東", "東京", ["東"]),
        ("株式", "㍿です", ["㍿"]),
        ("👍", "a👍🏽b", ["👍🏽"]),
        ("hyphen", "hy\u{AD}phen", ["hy\u{AD}phen"]),
        ("น้ำ", "แม่น้ำ", ["น้ำ"]),
        ("", fox, []),
    ]

    @Test(arguments: examples.indices)
    func `highlights are the words that were asked for`(_ index: Int) {
        let (query, text, expected) = Self.examples[index]
        #expect(query.highlights(in: text).map { String(text[$0]) } == expected)
    }

    @Test func `highlights follow the tokenizer`() {
        let text = "Été, connected"
        #expect(SearchQuery.any("ete").highlights(in: text, tokenizer: .keepingMarks) == [])
        let found = SearchQuery.any("connections").highlights(in: text, tokenizer: .english)
        #expect(found.map { text[$0] } == ["connected"])
    }

    @Test func `ranges are whole characters, in order, and do not overlap`() {
        var random = SeededGenerator(11)
        for _ in 0..<2000 {
            let text = RandomText.text(Int.random(in: 0..<30, using: &random), using: &random)
            let query = SearchQuery.any(RandomText.text(Int.random(in: 1..<6, using: &random), using: &random))
            for tokenizer in [TextTokenizer.standard, .keepingMarks] {
                check(query.highlights(in: text, tokenizer: tokenizer), in: text)
                let words = Int.random(in: 0..<6, using: &random)
                let snippet = query.snippet(of: text, words: words, tokenizer: tokenizer)
                check(snippet.highlights, in: snippet.text)
            }
        }
    }

    private func check(_ ranges: [Range<String.Index>], in text: String) {
        let boundaries = Set(text.indices).union([text.endIndex])
        var end = text.startIndex
        for range in ranges {
            #expect(boundaries.contains(range.lowerBound) && boundaries.contains(range.upperBound))
            #expect(range.lowerBound >= end && !range.isEmpty)
            end = range.upperBound
        }
    }
}
