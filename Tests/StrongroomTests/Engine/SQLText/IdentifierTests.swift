import Testing

@testable import Strongroom

@Suite("Identifiers in SQL")
struct IdentifierTests {
    @Test(arguments: [
        ("plain", "`plain`"), ("with`one", "`with``one`"), ("``", "``````"),
        ("e\u{301}`\u{301}", "`e\u{301}``\u{301}`"),
    ])
    func backticksAreDoubled(name: String, quoted: String) {
        #expect(Array(Identifier.quote(name).unicodeScalars) == Array(quoted.unicodeScalars))
    }

    @Test(arguments: [("it's", "it''s"), ("'", "''"), ("none", "none"), ("a'\u{301}b", "a''\u{301}b")])
    func quotationMarksOfALiteralAreDoubled(text: String, doubled: String) {
        #expect(Array(Identifier.doubling("'", in: text).unicodeScalars) == Array(doubled.unicodeScalars))
    }
}
