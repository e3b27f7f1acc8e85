@testable import Strongroom
import Testing

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

    @Test func `lists are flat, without duplicates, and keep their order`() throws {
        let a = SearchExpression.phrase(SearchPhrase(["a"]))
        let b = SearchExpression.phrase(SearchPhrase(["b"]))
        let c = SearchExpression.phrase(SearchPhrase(["c"]))
        #expect(try ("b a" && "a b" && ("c" && "a")).expression(by: .standard) == .all([b, a, c]))
        #expect(try (("a" && "b") || "c" || .any("c a")).expression(by: .standard) == .any([.all([a, b]), c, a]))
        let excluding = SearchQuery("a").excluding("b").excluding("a")
        #expect(try excluding.expression(by: .standard) == .excluding(a, .any([b, a])))
    }

    @Test func `phrases are those that may be found`() throws {
        let query = SearchQuery.all("a b") && .typing("a cd").excluding("e")
        #expect(
            try query.expression(by: .standard).phrases
                == [SearchPhrase(["a"]), SearchPhrase(["b"]), SearchPhrase(["cd"], isPrefix: true)])
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
