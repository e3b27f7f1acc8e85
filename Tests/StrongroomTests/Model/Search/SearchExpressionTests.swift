import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite struct SearchExpressionTests {
    /// Questions and their texts for both engines; FTS4's is nil where its syntax cannot say it.
    static let texts: [(SearchQuery, String, String?)] = [
        ("fox", #""fox""#, #""fox""#),
        ("quick  FOX!", #"("quick" AND "fox")"#, #""quick" "fox""#),
        ("fox Fox", #""fox""#, #""fox""#),
        (.any("quick fox"), #"("quick" OR "fox")"#, #""quick" OR "fox""#),
        (.phrase("the quick, fox"), #""the quick fox""#, #""the quick fox""#),
        (.all("l'été mp-3"), #"("l ete" AND "mp 3")"#, #""l ete" "mp 3""#),
        (.all("東京、大阪"), #"("東 京" AND "大 阪")"#, #""東 京" "大 阪""#),
        (.typing("quick fo"), #"("quick" AND "fo" *)"#, #""quick" "fo*""#),
        (.typing("quick fo "), #"("quick" AND "fo")"#, #""quick" "fo""#),
        (.typing("l'ét"), #""l et" *"#, #""l et*""#),
        (.typing("fox fox"), #"("fox" AND "fox" *)"#, #""fox" "fox*""#),
        ("a" && "b c", #"("a" AND "b" AND "c")"#, #""a" "b" "c""#),
        (.any("a b") || .phrase("c d"), #"("a" OR "b" OR "c d")"#, #""a" OR "b" OR "c d""#),
        ("a" && .any("b c"), #"("a" AND ("b" OR "c"))"#, nil),
        ("a b" || "c", #"(("a" AND "b") OR "c")"#, nil),
        (SearchQuery("a").excluding("b"), #"("a" NOT "b")"#, nil),
        (SearchQuery("a").excluding("b").excluding("c d"), #"("a" NOT ("b" OR ("c" AND "d")))"#, nil),
        ("a" && "?!", #""a""#, #""a""#),
        ("?" || "a", #""a""#, #""a""#),
        (SearchQuery("a").excluding(""), #""a""#, #""a""#),
        (SearchQuery("-").excluding("a"), #""""#, nil),
        ("", #""""#, nil),
        ("NOT \"a* (AND", #"("not" AND "a" AND "and")"#, #""not" "a" "and""#),
        ("1️⃣", "\"1\u{20E3}\"", "\"1\u{20E3}\""),
        ("#️⃣", "\"\u{E023}\u{20E3}\"", "\"\u{E023}\u{20E3}\""),
    ]

    @Test(arguments: texts.indices)
    func `a question is compiled for both engines`(_ index: Int) throws {
        let (query, fts5, fts4) = Self.texts[index]
        let expression = try query.expression(by: .standard)
        #expect(expression.fts5 == fts5)
        #expect(expression.fts4 == fts4)
    }

    @Test func `limits are reported and nothing is cut`() throws {
        let words = { (count: Int) in (0..<count).map { "w\($0)" }.joined(separator: " ") }
        #expect(try SearchQuery.all(words(256) + " " + words(256)).expression(by: .standard).phrases.count == 256)
        expectLimit("256 different words or phrases", .any(words(257)))
        expectLimit("256 different words or phrases", SearchQuery.all(words(256)).excluding("other"))
        #expect(throws: Never.self) { try SearchQuery.phrase(words(1024)).expression(by: .standard) }
        expectLimit("1024 words", .phrase(words(1025)))
    }

    private func expectLimit(_ limit: String, _ query: SearchQuery) {
        let error = #expect(throws: StrongroomError.self) { try query.expression(by: .standard) }
        #expect(error?.code == .limit && error?.message.contains("more than \(limit)") ?? false)
    }

    @Test func `deep nesting is reported, and long chains are not deep`() throws {
        var query: SearchQuery = "w"
        for number in 0..<100_000 { query = number % 2 == 0 ? query && "a" : query || "b" }
        expectLimit("12 levels", query)
        let chain = (0..<250).reduce(SearchQuery("w")) { $0 && .all("w\($1)") }
        #expect(try chain.expression(by: .standard).phrases.count == 251)
        let without = (0..<250).reduce(SearchQuery("w")) { $0.excluding(.all("w\($1)")) }
        #expect(try without.expression(by: .standard).fts5.hasPrefix(#"("w" NOT ("w0" OR "w1" "#))
        var twelve: SearchQuery = "w"
        for number in 0..<12 { twelve = SearchQuery.any("x\(number) y").excluding(twelve) }
        #expect(throws: Never.self) { try twelve.expression(by: .standard) }
    }
}

@Suite struct SearchQueryFuzzTests {
    private static let isLong = ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == "1"

    @Test func `random questions become quoted terms and never crash`() throws {
        var random = SeededGenerator(13)
        for _ in 0..<(Self.isLong ? 1_000_000 : 5_000) {
            let query = Self.query(levels: Int.random(in: 0..<4, using: &random), using: &random)
            let tokenizer = Bool.random(using: &random) ? TextTokenizer.standard : .keepingMarks
            guard let expression = try? query.expression(by: tokenizer) else { continue }
            #expect(Self.isSafe(expression.fts5, operators: ["AND", "OR", "NOT", "(", ")", "*"]))
            if let fts4 = expression.fts4 { #expect(Self.isSafe(fts4, operators: ["OR"])) }
            #expect((expression == .nothing) == expression.phrases.isEmpty)
        }
    }

    private static func query(levels: Int, using random: inout SeededGenerator) -> SearchQuery {
        let text = { (random: inout SeededGenerator) in
            // Few different words, of which phrases overlap and contain each other, or anything.
            Bool.random(using: &random)
                ? RandomText.words(Int.random(in: 1..<4, using: &random), using: &random)
                : RandomText.text(Int.random(in: 0..<12, using: &random), using: &random)
        }
        guard levels > 0 else {
            return switch Int.random(in: 0..<4, using: &random) {
            case 0: .all(text(&random))
            case 1: .any(text(&random))
            case 2: .phrase(text(&random))
            default: .typing(text(&random))
            }
        }
        let first = query(levels: levels - 1, using: &random)
        let second = query(levels: Int.random(in: 0..<levels, using: &random), using: &random)
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: first && second
        case 1: first || second
        default: first.excluding(second)
        }
    }

    /// Whether a text consists of quoted terms, of operators and of numbers.
    private static func isSafe(_ text: String, operators: [String]) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return false }
        return parts.enumerated().allSatisfy { index, part in
            if index % 2 == 0 {
                var rest = String(decoding: part, as: UTF8.self)
                for name in operators { rest = rest.replacingOccurrences(of: name, with: " ") }
                return rest.utf8.allSatisfy { $0 == 0x20 || (0x30...0x39).contains($0) }
            }
            return part.enumerated().allSatisfy { offset, byte in
                byte >= 0x80 || byte == 0x20 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2A && offset == part.count - 1 && !operators.contains("*")
            }
        }
    }
}

/// Decides by the tokens of a text whether it answers a question, as an index would.
struct MemoryMatcher {
    let tokenizer: TextTokenizer

    func matches(_ query: SearchQuery, _ text: String) throws -> Bool {
        let terms = tokenizer.terms(of: text).unicodeScalars.split(separator: " ").map { String($0) }
        return matches(try query.expression(by: tokenizer), terms)
    }

    private func matches(_ expression: SearchExpression, _ terms: [String]) -> Bool {
        switch expression {
        case .nothing: false
        case .phrase(let phrase): !places(phrase, terms).isEmpty
        case .all(let parts): parts.allSatisfy { matches($0, terms) }
        case .any(let parts): parts.contains { matches($0, terms) }
        case .excluding(let base, let excluded): matches(base, terms) && !matches(excluded, terms)
        }
    }

    private func places(_ phrase: SearchPhrase, _ terms: [String]) -> [Range<Int>] {
        terms.indices.compactMap { start in
            let end = start + phrase.terms.count
            guard end <= terms.count else { return nil }
            let isFound = zip(phrase.terms, terms[start..<end]).enumerated().allSatisfy { offset, pair in
                let isLast = offset == phrase.terms.count - 1
                return isLast && phrase.isPrefix
                    ? pair.1.utf8.starts(with: pair.0.utf8) : Array(pair.0.utf8) == Array(pair.1.utf8)
            }
            return isFound ? start..<end : nil
        }
    }
}

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
