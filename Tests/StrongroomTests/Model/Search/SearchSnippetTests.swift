@testable import Strongroom
import StrongroomTesting
import Testing

@Suite struct SearchSnippetTests {
    private func shown(_ snippet: SearchSnippet) -> String {
        var text = ""
        var position = snippet.text.startIndex
        for range in snippet.highlights {
            text += snippet.text[position..<range.lowerBound] + "[" + snippet.text[range] + "]"
            position = range.upperBound
        }
        text += snippet.text[position...]
        return (snippet.isCutAtStart ? "…" : "") + text + (snippet.isCutAtEnd ? "…" : "")
    }

    static let numbers = (1...40).map { "w\($0)" }.joined(separator: " ")

    static let examples: [(SearchQuery, String, Int, String)] = [
        ("w20", numbers, 5, "…w18 w19 [w20] w21 w22…"),
        ("w1", numbers, 3, "[w1] w2 w3…"),
        ("w40", numbers, 3, "…w38 w39 [w40]"),
        ("none", numbers, 3, "w1 w2 w3…"),
        ("", numbers, 2, "w1 w2…"),
        ("w3 w30 w32", numbers, 4, "…[w30] w31 [w32] w33…"),
        (.any("w3 w30"), numbers, 1, "…[w3]…"),
        (.phrase("w10 w11 w12"), numbers, 2, "…[w10 w11]…"),
        (.phrase("w10 w11 w12"), numbers, 5, "…w9 [w10 w11 w12] w13…"),
        ("a", "x a x x x a a x", 3, "…[a] [a] x"),
        ("a b", "a a a x x x a b x", 3, "…[a] [b] x"),
        ("fox", "(The \"quick\" fox!)", 9, "(The \"quick\" [fox]!)"),
        ("quick", "(The \"quick\" fox!)", 1, "…\"[quick]\"…"),
        ("京", "私は東京都にいる", 3, "…東[京]都…"),
        ("x", "", 3, ""),
        ("x", "…!", 3, "…!"),
        ("a", "a", 0, "[a]"),
        ("a", "b a", .max, "b [a]"),
        ("été", "un e\u{301}te\u{301} 👍🏽", 2, "…[e\u{301}te\u{301}] 👍🏽"),
    ]

    @Test(arguments: examples.indices)
    func `a snippet shows the best part`(_ index: Int) {
        let (query, text, words, expected) = Self.examples[index]
        #expect(shown(query.snippet(of: text, words: words)) == expected)
    }

    @Test func `the window is the best one of all`() throws {
        var random = SeededGenerator(12)
        for _ in 0..<2000 {
            let words = (0..<Int.random(in: 1..<25, using: &random)).map { _ in
                ["a", "b", "c", "x", "y", "z"].randomElement(using: &random) ?? "x"
            }
            let length = Int.random(in: 1..<8, using: &random)
            let query = SearchQuery.any("a b-c c")
            let snippet = query.snippet(of: words.joined(separator: " "), words: length)
            let part = snippet.text.split(separator: " ").map { String($0) }
            #expect(part.count == min(length, words.count))
            guard length > 1 else { continue }
            let scores = (0...max(words.count - length, 0)).map { score(Array(words[$0...].prefix(length))) }
            let best = scores.max { $0 < $1 }
            let found = score(part)
            #expect(try #require(best) == found, "\(words) \(length) \(part)")
        }
    }

    private func score(_ words: [String]) -> [Int] {
        let phrases = zip(words, words.dropFirst()).count { $0 == "b" && $1 == "c" }
        let counts = [words.count { $0 == "a" }, phrases, words.count { $0 == "c" }]
        return [counts.count { $0 > 0 }, counts.reduce(0, +)]
    }
}

extension [Int] {
    fileprivate static func < (first: Self, second: Self) -> Bool {
        first.lexicographicallyPrecedes(second)
    }
}
